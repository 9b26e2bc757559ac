"""Fused functions of torch_npu for language models, written with PyTorch as their documentation defines them (see npu_functions.py):
rotary embeddings, quantisation, routing to experts, sampling. 16-bit tensors are computed in float32 and rounded once."""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch

Tensor = torch.Tensor


def _rotated_halves(x: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return torch.cat((-second, first), -1)


def _rotated_pairs(x: Tensor) -> Tensor:
    return torch.stack((-x[..., 1::2], x[..., 0::2]), -1).flatten(-2)


ROTATED: dict[str, Callable[[Tensor], Tensor]] = {"half": _rotated_halves, "interleave": _rotated_pairs}


def rotary_mul(input: Tensor, r1: Tensor, r2: Tensor, rotary_mode: str = "half") -> Tensor:  # pylint: disable=redefined-builtin
    """input * cos + rotated(input) * sin; the two numbers of a pair are half a row apart ("half") or neighbours ("interleave")."""
    x = input.float()
    return (x * r1.float() + ROTATED[rotary_mode](x) * r2.float()).to(input.dtype)


def interleave_rope(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Neighbours (B, N, S, D) are taken apart into halves first; these are what is rotated, and the result."""
    halves = x.float().unflatten(-1, (-1, 2)).transpose(-1, -2).flatten(-2)
    return (halves * cos.float() + _rotated_halves(halves) * sin.float()).to(x.dtype)


def group_norm_swish(input: Tensor, num_groups: int, weight: Optional[Tensor] = None, bias: Optional[Tensor] = None, eps: float = 1e-5,  # pylint: disable=redefined-builtin
                     swish_scale: float = 1.0) -> tuple[Tensor, Tensor, Tensor]:
    """Group norm, then y * sigmoid(swish_scale * y); with the mean and 1 / standard deviation of each group (N, num_groups)."""
    grouped = input.float().reshape(input.shape[0], num_groups, -1)
    mean = grouped.mean(-1, keepdim=True)
    rstd = torch.rsqrt(grouped.var(-1, unbiased=False, keepdim=True) + eps)
    y = ((grouped - mean) * rstd).reshape(input.shape)
    channels = (1, -1, *(1 for _ in input.shape[2:]))
    y = y if weight is None else y * weight.float().view(channels)
    y = y if bias is None else y + bias.float().view(channels)
    return (y * torch.sigmoid(swish_scale * y)).to(input.dtype), mean.squeeze(-1).to(input.dtype), rstd.squeeze(-1).to(input.dtype)


def _group_of_rows(n_rows: int, group_index: Tensor, is_count: bool) -> Tensor:
    """Of each row the group it is in; the number of groups for rows behind the last."""
    ends = group_index.cumsum(0) if is_count else group_index
    rows = torch.arange(n_rows, dtype=ends.dtype, device=ends.device)
    return (rows.unsqueeze(1) >= ends.unsqueeze(0)).sum(1)


def _of_groups(values: Tensor, group: Tensor, otherwise: float) -> Tensor:
    """values (G,) or (G, N) of each row's group, (rows, 1 or N)."""
    table = values.float().reshape(values.shape[0], -1)
    chosen = table[group.clamp(max=table.shape[0] - 1)]
    return torch.where((group < table.shape[0]).unsqueeze(1), chosen, torch.full_like(chosen, otherwise))


def swiglu_quant(x: Tensor, *, smooth_scales: Optional[Tensor] = None, offsets: Optional[Tensor] = None, group_index: Optional[Tensor] = None,
                 activate_left: bool = False, quant_mode: int = 0, group_list_type: int = 0, dst_type: Any = None) -> tuple[Tensor, Tensor]:
    """silu of one half times the other, scaled by row groups, as int8: rounded as it is (quant_mode 0, with scales 0) or with
    127 / largest magnitude of each row (1), which is the second result."""
    if dst_type not in (None, torch.int8):
        raise NotImplementedError("npu_swiglu_quant: other types than int8 are not known here, write them with torch functions")
    left, right = x.float().chunk(2, -1)
    y = torch.nn.functional.silu(left) * right if activate_left else torch.nn.functional.silu(right) * left
    rows = y.reshape(-1, y.shape[-1])
    group = None if group_index is None else _group_of_rows(rows.shape[0], group_index, group_list_type == 1)
    if smooth_scales is not None:
        rows = rows * (smooth_scales.float() if group is None else _of_groups(smooth_scales, group, 1.0))
    if quant_mode == 1:
        scale = 127.0 / rows.abs().amax(-1, keepdim=True).clamp(min=1e-10)
        return torch.round((rows * scale).clamp(-128, 127)).to(torch.int8).reshape(y.shape), scale.reshape(y.shape[:-1])
    if smooth_scales is not None and offsets is not None:
        rows = rows + (offsets.float() if group is None else _of_groups(offsets, group, 0.0))
    return torch.round(rows).clamp(-128, 127).to(torch.int8).reshape(y.shape), torch.zeros(y.shape[:-1], device=x.device)


def quant_scatter(input: Tensor, indices: Tensor, updates: Tensor, quant_scales: Tensor, quant_zero_points: Optional[Tensor] = None,  # pylint: disable=redefined-builtin
                  axis: int = 0, quant_axis: int = 1, reduce: str = "update") -> Tensor:
    """updates as int8, each of dimension 0 written into input from its index on along `axis`."""
    if reduce != "update" or indices.dim() != 1:
        raise NotImplementedError("npu_quant_scatter: indices of one dimension and reduce='update' alone are known here")
    scaled = updates.float() / quant_scales.float()
    scaled = scaled if quant_zero_points is None else scaled + quant_zero_points.float()
    whole = torch.round(scaled).clamp(-128, 127)
    whole = torch.where(updates == -torch.inf, -128.0, torch.where(updates == torch.inf, 127.0, whole)).to(torch.int8)
    axis = axis % input.dim()
    along = torch.arange(updates.shape[axis], device=indices.device).view(-1, *(1 for _ in updates.shape[axis + 1:]))
    places = indices.to(torch.int64).view(-1, *(1 for _ in updates.shape[1:])) + along
    return input.scatter(axis, places.expand(updates.shape), whole)


def moe_compute_expert_tokens(sorted_expert_for_source_row: Tensor, num_expert: int) -> Tensor:
    """How many rows the experts up to each one have."""
    experts = torch.arange(num_expert, dtype=torch.int32, device=sorted_expert_for_source_row.device)
    return (sorted_expert_for_source_row.unsqueeze(0) <= experts.unsqueeze(1)).sum(1).to(torch.int32)


def moe_init_routing(x: Tensor, row_idx: Tensor, expert_idx: Tensor, active_num: int) -> tuple[Tensor, Tensor, Tensor]:
    """The rows of x in the order of their experts, where each went, and the experts in order."""
    experts, order = torch.sort(expert_idx.reshape(-1), stable=True)
    source = row_idx.reshape(-1)[order]
    places = torch.arange(source.shape[0], dtype=torch.int32, device=x.device)
    went = torch.zeros_like(source).scatter(0, source.long(), places)
    n = min(active_num, x.shape[0]) * expert_idx.shape[1]
    return x[(source[:n] % x.shape[0]).long()], went, experts


def moe_finalize_routing(expanded_permuted_rows: Tensor, skip1: Optional[Tensor], skip2: Optional[Tensor], bias: Optional[Tensor],
                         scales: Optional[Tensor], expanded_src_to_dst_row: Tensor, export_for_source_row: Optional[Tensor],
                         drop_pad_mode: int = 0) -> Tensor:
    """Of each row the results of its K experts, with the experts' bias, weighted and added up; modes 1 and 3: an index outside gives nothing."""
    rows = expanded_permuted_rows.float().reshape(-1, expanded_permuted_rows.shape[-1])
    n_rows = expanded_src_to_dst_row.shape[0] if scales is None else scales.shape[0]
    place = expanded_src_to_dst_row.long()
    place = place.view(-1, n_rows).t() if drop_pad_mode in (0, 1) else place.view(n_rows, -1)
    if drop_pad_mode in (1, 3):
        inside = ((place >= 0) & (place < rows.shape[0])).unsqueeze(-1)
        chosen = torch.where(inside, rows[place.clamp(0, rows.shape[0] - 1)], 0.0)
    else:
        chosen = rows[place]
    if bias is not None and export_for_source_row is not None:
        chosen = chosen + bias.float()[export_for_source_row.long()]
    out = (chosen if scales is None else chosen * scales.float().unsqueeze(-1)).sum(1)
    for skip in (skip1, skip2):
        out = out if skip is None else out + skip.float()
    return out.to(expanded_permuted_rows.dtype)


def moe_gating_top_k_softmax(x: Tensor, finished: Optional[Tensor] = None, k: int = 1) -> tuple[Tensor, Tensor, Tensor]:
    """The k likeliest experts of each row, their probabilities (first result), and the number of each choice, counted column by column."""
    values, experts = torch.topk(torch.softmax(x.float(), -1), k, -1)
    experts = experts.to(torch.int32)
    if finished is not None:
        experts = torch.where(finished.unsqueeze(-1), x.shape[-1], experts)
    n_rows = x.shape[:-1].numel()
    number = torch.arange(n_rows * k, dtype=torch.int32, device=x.device).view(k, n_rows).t().reshape(*x.shape[:-1], k)
    return values.to(x.dtype), experts, number


def top_k_top_p(logits: Tensor, p: Tensor, k: Tensor) -> Tensor:
    """Logits of each row (of 2 dimensions) that are neither among the k largest nor among those that make up probability p become -inf."""
    ordered, places = torch.sort(logits.float(), dim=-1, stable=True)
    n = logits.shape[-1]
    least = ordered.gather(1, (n - k.long()).unsqueeze(1))
    ordered = torch.where(ordered < least, -torch.inf, ordered)
    unlikely = torch.softmax(ordered, -1).cumsum(-1) <= 1 - p.float().unsqueeze(1)
    is_last = torch.arange(n, device=logits.device) == n - 1
    ordered = torch.where(unlikely & ~is_last, -torch.inf, ordered)
    return torch.zeros_like(ordered).scatter(-1, places, ordered).to(logits.dtype)


FUSED: dict[str, Callable[..., Any]] = {
    "npu_rotary_mul": rotary_mul, "npu_interleave_rope": interleave_rope, "npu_group_norm_swish": group_norm_swish, "npu_swiglu_quant": swiglu_quant,
    "npu_quant_scatter": quant_scatter, "npu_moe_compute_expert_tokens": moe_compute_expert_tokens, "npu_moe_init_routing": moe_init_routing,
    "npu_moe_finalize_routing": moe_finalize_routing, "npu_moe_gating_top_k_softmax": moe_gating_top_k_softmax, "npu_top_k_top_p": top_k_top_p}
