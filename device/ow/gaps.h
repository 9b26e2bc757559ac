/* Written by tools/api_table.py from data/api: the functions AscendC has on this architecture and the simulator does not
 * model. A kernel that calls one compiles, and ends as "not modelled" with the name of the API. */
#ifndef OW_GAPS_H
#define OW_GAPS_H

#include "ow/gap.h"

namespace AscendC {

OW_GAP(CreateCubeResGroup)
OW_GAP(Fixpipe)
OW_GAP(GetArchVersion)
OW_GAP(GetBasicConfig)
OW_GAP(GetIBShareNormConfig)
OW_GAP(GetMDLConfig)
OW_GAP(GetMMConfig)
OW_GAP(GetMatmulApiTiling)
OW_GAP(GetNormalConfig)
OW_GAP(GetSpecialMDLConfig)
OW_GAP(LoadData)
OW_GAP(LoadDataWithSparse)
OW_GAP(LoadDataWithTranspose)
OW_GAP(LoadImageToLocal)
OW_GAP(Mmad)
OW_GAP(MmadWithSparse)
OW_GAP(SetAippFunctions)
OW_GAP(SetFixPipeConfig)
OW_GAP(SetFixpipeNz2ndFlag)
OW_GAP(SetFixpipePreQuantFlag)
OW_GAP(SetFmatrix)
OW_GAP(SetHF32Mode)
OW_GAP(SetHF32TransMode)
OW_GAP(SetLoadDataBoundary)
OW_GAP(SetLoadDataPaddingValue)
OW_GAP(SetLoadDataRepeat)

} // namespace AscendC
#undef OW_GAP
#endif
