/* Handles, views and copies, against shapes and values worked out by hand. */
#include "runtime/runtime_int.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}, (int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define DIMS(...)  (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)

static Rt *rt;

static int open_rt(void **state) {
    (void)state;
    rt = rt_open("Ascend910B4");
    return rt ? 0 : -1;
}
static int close_rt(void **state) {
    (void)state;
    rt_close(rt);
    return 0;
}

static RtTensor *counting(int32_t dtype, const int64_t *size, int32_t rank) {
    RtTensor *t = rt_tensor_new(dtype, size, rank, false);
    assert_non_null(t);
    for (int64_t i = 0; i < owh_tensor_numel(t); i++) dtype_store((DType)dtype, t->storage, (size_t)i, (double)i);
    return t;
}

static double at(const RtTensor *t, int64_t i, int64_t j) {
    return dtype_load((DType)t->dtype, t->storage, (size_t)(t->offset + i * t->stride[0] + (t->rank > 1 ? j * t->stride[1] : 0)));
}

static void assert_layout(const RtTensor *t, const int64_t *size, int32_t rank, const int64_t *stride, int64_t offset) {
    assert_non_null(t);
    assert_int_equal(t->rank, rank);
    for (int32_t d = 0; d < rank; d++) {
        assert_int_equal(t->size[d], size[d]);
        assert_int_equal(t->stride[d], stride[d]);
    }
    assert_int_equal(t->offset, offset);
}

static void assert_fails(RtTensor *t, const char *part) {
    assert_null(t);
    if (!strstr(rt_error(rt), part)) fail_msg("'%s' does not contain '%s'", rt_error(rt), part);
}

static void new_storage_is_poisoned_and_aligned(void **state) {
    (void)state;
    RtTensor *t = rt_tensor_new(DTYPE_F32, SHAPE(3, 5), false);
    for (int i = 0; i < 60; i++) assert_int_equal(((unsigned char *)t->storage)[i], 0xFF);
    assert_int_equal((uintptr_t)t->storage % 512, 0);
    assert_int_equal(t->storage_bytes, 60);
    rt_tensor_unref(t);
    RtTensor *empty = rt_tensor_new(DTYPE_BF16, SHAPE(0, 7), false);
    assert_int_equal(owh_tensor_numel(empty), 0);
    assert_true(owh_tensor_is_contiguous(empty));
    rt_tensor_unref(empty);
}

static void absurd_sizes_are_refused(void **state) {
    (void)state;
    assert_fails(rt_tensor_new(DTYPE_F32, SHAPE(-1, 2), false), "[-1, 2]");
    assert_fails(rt_tensor_new(DTYPE_F32, SHAPE(INT64_MAX, 8), false), "shape");
    assert_fails(rt_tensor_new(DTYPE_F32, SHAPE(1ll << 40), false), "shape");
    assert_fails(rt_tensor_new(-1, SHAPE(1), false), "not modelled");
    int64_t many[17] = {1};
    assert_fails(rt_tensor_new(DTYPE_F32, many, 17, false), "17 dimensions");
    assert_fails(rt_tensor_wrap("complex64", 0, NULL, NULL, 0, NULL, 0), "complex64");
}

static void views_have_the_layout_of_pytorch(void **state) {
    (void)state;
    RtTensor *t = counting(DTYPE_F32, SHAPE(2, 3, 4));
    RtTensor *v = owh_tensor_permute(t, DIMS(2, 0, 1));
    assert_layout(v, SHAPE(4, 2, 3), (int64_t[]){1, 12, 4}, 0);
    assert_false(owh_tensor_is_contiguous(v));
    rt_tensor_unref(v);
    v = owh_tensor_transpose(t, -1, 0);
    assert_layout(v, SHAPE(4, 3, 2), (int64_t[]){1, 4, 12}, 0);
    rt_tensor_unref(v);
    v = owh_tensor_slice(t, 2, 1, INT64_MAX, 2);
    assert_layout(v, SHAPE(2, 3, 2), (int64_t[]){12, 4, 2}, 1);
    rt_tensor_unref(v);
    v = owh_tensor_narrow(t, 1, -2, 2);
    assert_layout(v, SHAPE(2, 2, 4), (int64_t[]){12, 4, 1}, 4);
    rt_tensor_unref(v);
    v = owh_tensor_select(t, 0, -1);
    assert_layout(v, SHAPE(3, 4), (int64_t[]){4, 1}, 12);
    rt_tensor_unref(v);
    v = owh_tensor_unsqueeze(t, -1);
    assert_layout(v, SHAPE(2, 3, 4, 1), (int64_t[]){12, 4, 1, 1}, 0);
    RtTensor *s = owh_tensor_squeeze(v, 0, true);
    assert_layout(s, SHAPE(2, 3, 4), (int64_t[]){12, 4, 1}, 0);
    rt_tensor_unref(s);
    s = owh_tensor_expand(v, DIMS(5, -1, 3, 4, 6));
    assert_layout(s, SHAPE(5, 2, 3, 4, 6), (int64_t[]){0, 12, 4, 1, 0}, 0);
    rt_tensor_unref(s);
    rt_tensor_unref(v);
    assert_int_equal(t->refs, 1); /* every view gave its reference back */
    rt_tensor_unref(t);
}

static void views_keep_the_storage_alive(void **state) {
    (void)state;
    RtTensor *t = counting(DTYPE_I32, SHAPE(2, 3));
    RtTensor *a = owh_tensor_select(t, 0, 1), *b = owh_tensor_narrow(a, 0, 1, 2);
    rt_tensor_unref(t);
    rt_tensor_unref(a);
    assert_int_equal(at(b, 0, 0), 4); /* the sanitizer sees a storage freed too early */
    rt_tensor_unref(b);
}

static void reshape_views_where_it_can(void **state) {
    (void)state;
    RtTensor *t = counting(DTYPE_F16, SHAPE(2, 3, 4));
    RtTensor *v = owh_tensor_reshape(t, DIMS(6, -1), true);
    assert_layout(v, SHAPE(6, 4), (int64_t[]){4, 1}, 0);
    rt_tensor_unref(v);
    RtTensor *p = owh_tensor_permute(t, DIMS(1, 0, 2)); /* strides 4, 12, 1 */
    v = owh_tensor_reshape(p, DIMS(3, 2, 2, 2), true);
    assert_layout(v, SHAPE(3, 2, 2, 2), (int64_t[]){4, 12, 2, 1}, 0);
    rt_tensor_unref(v);
    assert_fails(owh_tensor_reshape(p, DIMS(6, 4), true), "view size is not compatible");
    v = owh_tensor_reshape(p, DIMS(6, 4), false);
    assert_layout(v, SHAPE(6, 4), (int64_t[]){4, 1}, 0);
    assert_ptr_not_equal(v->storage, t->storage);
    assert_int_equal(at(v, 1, 0), 12); /* p[0][1][0] */
    assert_int_equal(at(v, 2, 3), 7);  /* p[1][0][3] */
    rt_tensor_unref(v);
    rt_tensor_unref(p);
    assert_fails(owh_tensor_reshape(t, DIMS(5, -1), true), "shape '[5, -1]' is invalid for input of size 24");
    assert_fails(owh_tensor_reshape(t, DIMS(-1, -1), true), "invalid");
    rt_tensor_unref(t);
    RtTensor *scalar = counting(DTYPE_F32, NULL, 0);
    v = owh_tensor_reshape(scalar, DIMS(1, 1), true);
    assert_layout(v, SHAPE(1, 1), (int64_t[]){1, 1}, 0);
    rt_tensor_unref(v);
    rt_tensor_unref(scalar);
}

static void wrong_views_say_why(void **state) {
    (void)state;
    RtTensor *t = counting(DTYPE_F32, SHAPE(2, 3));
    assert_fails(owh_tensor_permute(t, DIMS(0)), "not equal to len(dims) = 1");
    assert_fails(owh_tensor_permute(t, DIMS(0, 0)), "duplicate dims");
    assert_fails(owh_tensor_transpose(t, 0, 2), "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    assert_fails(owh_tensor_select(t, 1, 3), "index 3 out of range");
    assert_fails(owh_tensor_narrow(t, 1, 2, 2), "start (2) + length (2) exceeds dimension size (3)");
    assert_fails(owh_tensor_slice(t, 0, 0, 1, 0), "step must be positive");
    assert_fails(owh_tensor_expand(t, DIMS(2, 4)), "expanded size of the tensor (4) must match the existing size (3)");
    assert_fails(owh_tensor_expand(t, DIMS(3)), "number of sizes");
    assert_fails(owh_tensor_strided(t, (const int64_t[]){2, 3}, (const int64_t[]){4, 1}, 2, 0), "reaches element 6");
    assert_int_equal(t->refs, 1);
    rt_tensor_unref(t);
}

static void clone_copies_any_layout_and_converts(void **state) {
    (void)state;
    static const int32_t TYPES[] = {DTYPE_U8, DTYPE_BF16, DTYPE_F32, DTYPE_I64};
    for (size_t k = 0; k < 4; k++) {
        RtTensor *t = counting(TYPES[k], SHAPE(3, 5)), *v = owh_tensor_transpose(t, 0, 1);
        RtTensor *c = owh_tensor_clone(v, TYPES[k], false);
        assert_layout(c, SHAPE(5, 3), (int64_t[]){3, 1}, 0);
        for (int64_t i = 0; i < 5; i++)
            for (int64_t j = 0; j < 3; j++) assert_int_equal(at(c, i, j), j * 5 + i);
        rt_tensor_unref(c);
        c = owh_tensor_clone(v, DTYPE_F16, false);
        assert_int_equal(at(c, 4, 2), 14);
        rt_tensor_unref(c);
        rt_tensor_unref(v);
        rt_tensor_unref(t);
    }
    assert_non_null(strstr(rt_report_json(rt), "binding-cast"));
}

static void fill_reaches_only_the_view(void **state) {
    (void)state;
    RtTensor *t = counting(DTYPE_I64, SHAPE(3, 4)), *v = owh_tensor_slice(t, 1, 1, 3, 1);
    owh_tensor_fill(v, 0, ((int64_t)1 << 53) + 1, true);
    int64_t i = 0;
    RtTensor *e = owh_tensor_select(v, 0, 2);
    RtTensor *one = owh_tensor_select(e, 0, 1);
    owh_tensor_item(one, &i);
    assert_true(i == ((int64_t)1 << 53) + 1);
    assert_int_equal(at(t, 2, 0), 8);
    assert_int_equal(at(t, 2, 3), 11);
    rt_tensor_unref(one);
    rt_tensor_unref(e);
    rt_tensor_unref(v);
    rt_tensor_unref(t);
}

static void empty_like_keeps_the_order_of_dims(void **state) {
    (void)state;
    RtTensor *t = counting(DTYPE_F32, SHAPE(2, 3, 4)), *v = owh_tensor_permute(t, DIMS(2, 0, 1));
    RtTensor *e = owh_tensor_empty_like(v);
    assert_layout(e, SHAPE(4, 2, 3), (int64_t[]){1, 12, 4}, 0);
    rt_tensor_unref(e);
    RtTensor *gaps = owh_tensor_slice(t, 2, 0, 4, 2);
    e = owh_tensor_empty_like(gaps);
    assert_layout(e, SHAPE(2, 3, 2), (int64_t[]){6, 2, 1}, 0);
    rt_tensor_unref(e);
    rt_tensor_unref(gaps);
    rt_tensor_unref(v);
    rt_tensor_unref(t);
}

static void shapes_broadcast(void **state) {
    (void)state;
    int64_t out[RT_MAX_RANK];
    assert_int_equal(owh_broadcast((int64_t[]){4, 1, 3}, 3, (int64_t[]){5, 1}, 2, out), 3);
    assert_int_equal(out[0], 4);
    assert_int_equal(out[1], 5);
    assert_int_equal(out[2], 3);
    assert_int_equal(owh_broadcast((int64_t[]){4}, 1, (int64_t[]){5}, 1, out), -1);
    assert_non_null(strstr(rt_error(rt), "must match the size"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_storage_is_poisoned_and_aligned), cmocka_unit_test(absurd_sizes_are_refused),
        cmocka_unit_test(views_have_the_layout_of_pytorch),    cmocka_unit_test(views_keep_the_storage_alive),
        cmocka_unit_test(reshape_views_where_it_can),          cmocka_unit_test(wrong_views_say_why),
        cmocka_unit_test(clone_copies_any_layout_and_converts), cmocka_unit_test(fill_reaches_only_the_view),
        cmocka_unit_test(empty_like_keeps_the_order_of_dims),  cmocka_unit_test(shapes_broadcast),
    };
    return cmocka_run_group_tests(tests, open_rt, close_rt);
}
