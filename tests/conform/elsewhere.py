# (api, form) -> the test that covers the row, for what one call in one block cannot show.
ELSEWHERE = {
    ("Trap", "whole"): "tests/unit/sim/checks_test.c",
    ("SyncAll", "hard"): "tests/unit/sim/forms_test.c",
    ("SyncAll", "soft (GM workspace)"): "tests/kernel/sync_space.cpp",
    ("CrossCoreSetFlag", "whole"): "tests/unit/sim/hazard_test.c",
    ("CrossCoreWaitFlag", "whole"): "tests/unit/sim/hazard_test.c",
    ("IBSet", "whole"): "tests/unit/sim/hazard_test.c",
    ("IBWait", "whole"): "tests/unit/sim/hazard_test.c",
    ("InitDetermineComputeWorkspace", "whole"): "tests/unit/sim/hazard_test.c",
    ("WaitPreBlock", "whole"): "tests/unit/sim/hazard_test.c",
    ("NotifyNextBlock", "whole"): "tests/unit/sim/hazard_test.c",
    ("DumpTensor", "no shape"): "tests/conform/test_dump.py",
    ("DumpTensor", "with shape"): "tests/conform/test_dump.py",
    ("DumpAccChkPoint", "whole"): "tests/conform/test_dump.py",
    ("DataCacheCleanAndInvalid", "GlobalTensor, dcciDst"): "tests/unit/sim/checks_test.c",
    ("DataCacheCleanAndInvalid", "GlobalTensor, no dcciDst"): "tests/unit/sim/checks_test.c",
    ("DataCacheCleanAndInvalid", "LocalTensor, dcciDst"): "tests/unit/sim/checks_test.c",
}
