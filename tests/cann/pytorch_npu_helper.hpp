// Stand-in: the real header defines EXEC_NPU_CMD.
