"""Files of spreadsheets and statistics programs: Excel, SPSS, Stata, SAS. Each is read in a process of its own, within limits."""
