//! Products with quantized weights, in MLX's packing.
