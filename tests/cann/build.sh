#!/bin/bash
# Stand-in for a generated project's build.sh: checks that every source is in place under the operator's name, then makes a
# package whose installer lays out <path>/vendors/customize.
read -r op snake < op_name
here=$(pwd)
fail() {
    echo "[ERROR] $1"
    exit 1
}
[ -z "${ASCEND_CUSTOM_OPP_PATH+set}" ] || fail "ASCEND_CUSTOM_OPP_PATH is set"
grep -q "REGISTER_TILING_DATA_CLASS($op, " "op_host/${snake}_tiling.h" || fail "no tiling class of $op"
grep -q "#include \"${snake}_tiling.h\"" "op_host/$snake.cpp" || fail "the tiling header is not included"
grep -q "OP_ADD($op);" "op_host/$snake.cpp" || fail "no OP_ADD($op)"
grep -q "void $snake(" "op_kernel/$snake.cpp" || fail "no kernel function $snake"
grep -q "/no/such/Ascend" CMakePresets.json && fail "the toolkit's path was not set"
[ "$(find op_host op_kernel -type f | wc -l)" = 3 ] || fail "files of another name"
case "$STAND_IN_MODE" in
kernel-error)
    echo "[ERROR] TBE(7,python3):2026-03-10-00:44:33.405.707 [opc_common.py:525][opc_log_full] $here/op_kernel/$snake.cpp:12:5: error: use of undeclared identifier '${snake}_len'"
    echo "[ascend910b] ${op}_90b6c3f1e9 $here/op_kernel/$snake.cpp:12:5: error: use of undeclared identifier '${snake}_len'"
    echo "Opc tool compile failed."
    exit 1
    ;;
host-error)
    echo "$here/op_host/$snake.cpp:9:30: error: 'foo' was not declared in this scope" >&2
    exit 2
    ;;
no-package) exit 0 ;;
esac
mkdir -p build_out
cat > build_out/opapi.c <<CODE
void aclnn$op(const float *x, const float *y, float *z, long n) { for (long i = 0; i < n; i++) z[i] = x[i] + y[i]; }
void stand_in_launch(const float *x, const float *y, float *z, long n) { aclnn$op(x, y, z, n); }
CODE
${CC:-cc} -shared -fPIC -o build_out/libcust_opapi.so build_out/opapi.c || fail "cc"
cat > build_out/custom_opp_ubuntu_x86_64.run <<RUN
#!/bin/bash
case "\$1" in --install-path=/*) path=\${1#--install-path=} ;; *) echo "[ERROR] wrong arguments: \$*"; exit 1 ;; esac
mkdir -p "\$path/vendors/customize/op_api/lib" || exit 1
echo "load_priority=customize" > "\$path/vendors/config.ini"
cp "$here/build_out/libcust_opapi.so" "\$path/vendors/customize/op_api/lib/"
RUN
chmod +x build_out/custom_opp_ubuntu_x86_64.run
[ -z "$STAND_IN_LOG" ] || echo "build.sh $op" >> "$STAND_IN_LOG"
