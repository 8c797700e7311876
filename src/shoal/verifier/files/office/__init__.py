"""Workbooks and files of SPSS, Stata and SAS, read by code of the verifier's own, in a process of its own and within limits."""
