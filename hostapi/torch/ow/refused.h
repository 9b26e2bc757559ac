/* Names that compute. A binding may allocate, view and launch; whatever it computes would not be the kernel's work. They
 * are declared and deleted, so that the compiler says so ("use of deleted function at::BindingsMayNotCompute at::add")
 * and a name that is merely missing here can be told apart. Row: R(name). */
#define OWH_COMPUTE_NAMES(R)                                                                                 \
    R(abs) R(acos) R(adaptive_avg_pool2d) R(adaptive_avg_pool3d) R(add) R(addmm) R(all) R(amax) R(amin) R(any) R(argmax) \
    R(argmin) R(argsort) R(avg_pool1d) R(avg_pool2d) R(avg_pool3d) R(baddbmm) R(batch_norm) R(bmm) R(cat) R(ceil) R(clamp) \
    R(clamp_max) R(clamp_min) R(concat) R(conv1d) R(conv2d) R(conv3d) R(conv_transpose1d) R(conv_transpose2d) \
    R(conv_transpose3d) R(convolution) R(cos) R(cumprod) R(cumsum) R(div) R(dot) R(einsum) R(elu) R(embedding) R(eq) R(erf) \
    R(exp) R(flip) R(floor) R(gather) R(ge) R(gelu) R(group_norm) R(gt) R(hardsigmoid) R(hardswish) R(hardtanh) \
    R(index_add) R(index_select) R(instance_norm) R(layer_norm) R(le) R(leaky_relu) R(lerp) R(linear) R(log) R(log1p) \
    R(log_softmax) R(logsumexp) R(lt) R(masked_fill) R(masked_select) R(matmul) R(max) R(max_pool1d) R(max_pool2d) \
    R(max_pool3d) R(maximum) R(mean) R(min) R(minimum) R(mish) R(mm) R(mul) R(mv) R(ne) R(neg) R(nonzero) R(norm) R(pad) \
    R(pow) R(prod) R(reciprocal) R(relu) R(repeat_interleave) R(roll) R(round) R(rsqrt) R(scatter) R(scatter_add) R(selu) \
    R(sigmoid) R(sign) R(silu) R(sin) R(softmax) R(softplus) R(sort) R(sqrt) R(square) R(stack) R(std) R(sub) R(sum) R(tan) \
    R(tanh) R(full) R(full_like) R(arange) R(rand) R(randn) R(topk) R(tril) R(triu) R(upsample_bilinear2d) R(var) R(where)
/* Methods only. */
#define OWH_COMPUTE_METHODS(R)                                                                               \
    R(add_) R(clamp_) R(div_) R(exp_) R(index_put_) R(masked_fill_) R(mul_) R(relu_) R(repeat) R(scatter_) R(sigmoid_) \
    R(sub_) R(tanh_)
