"""The bar of the project: fourteen claims, what stands behind each, and whether it holds."""
