"""Baseline of seniority and department by regular expressions, as a careful half-hour would write them."""

import re

_SENIORITIES = [
    (
        "Intern",
        r"\b(intern|internship|trainee|apprentice|praktik\w*|werkstudent\w*|azubi|stagiaire|becari[oa])\b",
    ),
    ("Founder", r"\b(co-?)?founder|\bowner\b|inhaber|gründer|fondat\w+|fundador\w*"),
    (
        "C-Suite",
        r"\bc[efiomt]o\b|\bchief\b.*\bofficer\b|(?<!vice )\bpresident\b|managing director|geschäftsführ|vorstand",
    ),
    ("Vice President", r"vice president|\b[se]?vp\b"),
    ("Partner", r"^(managing |senior )?partner\b"),
    ("Director", r"\bdirect(or|eur|rice|ora)\b|\bdiretora?\b|\bhead\b|direktor|bereichsleit|abteilungsleit"),
    ("Manager", r"manager|supervisor|leit(er|ung)|gerente|responsa\w+|kierownik"),
    ("Senior", r"\b(senior|sr|lead|principal|staff)\b"),
]
_DEPARTMENTS = [
    ("Sales", r"sales|account (manager|executive)|vertrieb|verkauf|ventas|vendas|commercial"),
    ("Marketing", r"market|brand|communicat|press"),
    ("Human Resources", r"human resources|\bhr\b|recruit|personal|talent"),
    ("Finance", r"financ|account|finanz|buchhalt|controlling|audit|budget|payroll|tax"),
    ("Information Technology", r"\bit\b|information|system|network|database|security"),
    ("Engineering & Technical", r"engineer|software|developer|entwickl|ingenieur|techni|mechani|elektr"),
    ("Customer Service", r"customer|kunden|service desk|client"),
    ("Legal", r"legal|counsel|attorney|lawyer|recht|jurist|compliance|contract"),
    ("Product", r"product|produkt|design"),
    ("Business Development", r"business development|partnership"),
    ("Consulting", r"consult|berat|advis"),
    ("Health Care & Medical", r"nurse|medic|health|clinic|pflege|arzt|ärzt|doctor|therap"),
    ("Research & Analytics", r"analy|research|scien|data|labor"),
    (
        "Operations",
        r"operat|logisti|supply|purchas|einkauf|project|projekt|office|production|produktion|driver|assembl",
    ),
    ("General Management", r"ceo|president|founder|owner|geschäftsführ|director|inhaber|vorstand|general"),
]


def _compiled(table: list[tuple[str, str]]) -> list[tuple[str, re.Pattern[str]]]:
    return [(label, re.compile(pattern)) for label, pattern in table]


_COMPILED_SENIORITIES, _COMPILED_DEPARTMENTS = _compiled(_SENIORITIES), _compiled(_DEPARTMENTS)


def seniority(title: str) -> str:
    text = title.lower()
    return next((label for label, pattern in _COMPILED_SENIORITIES if pattern.search(text)), "Non-Manager")


def departments(title: str) -> list[str]:
    text = title.lower()
    return [label for label, pattern in _COMPILED_DEPARTMENTS if pattern.search(text)][:3] or ["Other"]
