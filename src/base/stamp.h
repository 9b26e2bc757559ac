/* Which version of a folder this is, told by names, sizes and times of its files: cheap, and enough to know that what was made
 * from them is out of date. */
#ifndef OPWRIGHT_BASE_STAMP_H
#define OPWRIGHT_BASE_STAMP_H

#include "base/sha256.h"

/* Adds size and time of one file; a file that is not there adds nothing. */
void stamp_file(Sha256 *h, const char *path);
/* Adds all files below a folder, in the order of their names, compiled Python left out. A missing folder adds nothing. */
void stamp_tree(Sha256 *h, const char *folder);

#endif
