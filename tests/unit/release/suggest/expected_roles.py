"""What a steward would propose for the public files, by hand from what is documented of them: the role, and how it is blurred.

`intervals`, `dates`, `mask`, `groups` are forms of hierarchies; `set` is a column of sets; `-` is shown or hidden, or no blur.
FARS: 0-99 years, codes of race, origin, sex, state and injury. Credit card: SEX, EDUCATION and MARRIAGE are codes, PAY_n is the
status of repayment, -2 to 8; the rest are amounts. INFORMS: SEX, RACEX, marry and poverty are codes. YouTube: facts about films,
where `related` is a set; `video` is the number of the film.
"""

from __future__ import annotations

_ADULT = {
    "age": ("quasi", "intervals"),
    "workclass": ("quasi", "groups"),
    "fnlwgt": ("identifying", "-"),
    "education": ("quasi", "groups"),
    "education-num": ("quasi", "intervals"),
    "marital-status": ("quasi", "groups"),
    "occupation": ("quasi", "groups"),
    "relationship": ("quasi", "groups"),
    "race": ("quasi", "-"),
    "sex": ("quasi", "-"),
    "capital-gain": ("quasi", "intervals"),
    "capital-loss": ("quasi", "intervals"),
    "hours-per-week": ("quasi", "intervals"),
    "native-country": ("quasi", "groups"),
    "salary-class": ("sensitive", "-"),
}
_FARS = {
    "iage": ("quasi", "intervals"),
    "irace": ("quasi", "-"),
    "ideathmon": ("quasi", "intervals"),
    "ideathday": ("quasi", "intervals"),
    "isex": ("quasi", "-"),
    "ihispanic": ("quasi", "-"),
    "istatenum": ("quasi", "-"),
    "iinjury": ("sensitive", "-"),
}
_CREDIT_CARD = {
    "LIMIT_BAL": ("quasi", "intervals"),
    **dict.fromkeys(("SEX", "EDUCATION", "MARRIAGE"), ("quasi", "-")),
    "AGE": ("quasi", "intervals"),
    **dict.fromkeys((f"PAY_{n}" for n in (0, 2, 3, 4, 5, 6)), ("quasi", "-")),
    **dict.fromkeys((f"{what}_AMT{n}" for what in ("BILL", "PAY") for n in range(1, 7)), ("quasi", "intervals")),
    "default-payment-next-month": ("sensitive", "-"),
}
_INFORMS = {
    "DOBMM": ("quasi", "intervals"),
    "DOBYY": ("quasi", "intervals"),
    "SEX": ("quasi", "-"),
    "RACEX": ("quasi", "-"),
    "EDUCYEAR": ("quasi", "intervals"),
    "marry": ("quasi", "-"),
    "income": ("sensitive", "-"),
    "poverty": ("sensitive", "-"),
    "icd9": ("quasi", "set"),
}
_YOUTUBE = {
    "crawl": ("quasi", "dates"),
    "depth": ("quasi", "-"),
    "video": ("identifying", "-"),
    "age": ("quasi", "intervals"),
    "category": ("quasi", "-"),
    **dict.fromkeys(("length", "views", "rate", "ratings", "comments"), ("quasi", "intervals")),
    "related": ("quasi", "set"),
}
_KEYS = dict.fromkeys(("row_id", "subject_id", "hadm_id"), ("identifying", "-"))
_ADMISSIONS = {
    **_KEYS,
    **dict.fromkeys(("admittime", "dischtime", "deathtime", "edregtime", "edouttime"), ("quasi", "dates")),
    **dict.fromkeys(("admission_type", "admission_location", "discharge_location"), ("quasi", "-")),
    **dict.fromkeys(("insurance", "language", "ethnicity"), ("quasi", "-")),
    "religion": ("sensitive", "-"),
    "marital_status": ("quasi", "groups"),
    "diagnosis": ("sensitive", "-"),
    "hospital_expire_flag": ("quasi", "-"),
    "has_chartevents_data": ("plain", "-"),
}
_PATIENTS = {
    **dict.fromkeys(("row_id", "subject_id"), ("identifying", "-")),
    "gender": ("quasi", "-"),
    **dict.fromkeys(("dob", "dod", "dod_hosp", "dod_ssn"), ("quasi", "dates")),
    "expire_flag": ("plain", "-"),
}
_CODED = {**_KEYS, "seq_num": ("plain", "-"), "icd9_code": ("sensitive", "-")}

EXPECTED = {
    "relational/adult/adult_raw_32561.csv.gz": _ADULT,
    "relational/fars_int/fars_int.csv.gz": _FARS,
    "relational/creditcard_int/creditcard_int.csv.gz": _CREDIT_CARD,
    "rt/informs_2005/informs_2005.csv.gz": _INFORMS,
    "rt/youtube_sample/youtube_sample.csv.gz": _YOUTUBE,
    "sequence/mimic3_demo/ADMISSIONS.csv.gz": _ADMISSIONS,
    "sequence/mimic3_demo/PATIENTS.csv.gz": _PATIENTS,
    "sequence/mimic3_demo/DIAGNOSES_ICD.csv.gz": _CODED,
    "sequence/mimic3_demo/PROCEDURES_ICD.csv.gz": _CODED,
}
