"""The values that generated records are made of, and how often each comes.

All of it is made up or common knowledge. Frequencies fall off as in real data: few values are very common,
most are rare, so that filters and caches meet what they will meet in service.
"""

import unicodedata
from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")

SLOTS = 1 << 14
Draw = Callable[[float], T]
"""Gives a value for a number drawn evenly from 0 (inclusive) to 1 (exclusive)."""


def weighted(values: Sequence[T], weights: Iterable[float], slots: int = SLOTS) -> Draw[T]:
    """Draws values by weight, at the cost of one list access; weights under one slot may never come."""
    ends = list(accumulate(weights))
    table = [values[bisect(ends, (slot + 0.5) / slots * ends[-1])] for slot in range(slots)]
    return lambda number: table[int(number * slots)]


def zipf(values: Sequence[T], exponent: float = 1.0, shift: float = 2.0, slots: int = SLOTS) -> Draw[T]:
    """Draws the first values most often: weight 1 / (rank + shift) ** exponent."""
    return weighted(values, [(rank + shift) ** -exponent for rank in range(len(values))], slots)


def plain(text: str) -> str:
    """Lower case ASCII letters and digits, hyphens between words."""
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join("".join(c if c.isalnum() else " " for c in folded).split())


FIRST_NAMES = (
    "James Mary John Maria David Anna Michael Jennifer Robert Sarah Daniel Laura Thomas Emma Peter Julia Paul "
    "Elena Mark Lisa Andrew Claire Chris Nina Martin Sofia Alexander Eva Stephen Karen Richard Susan Joseph Linda "
    "William Elizabeth Charles Patricia Matthew Jessica Anthony Ashley Steven Emily Kevin Amanda Brian Melissa "
    "George Stephanie Edward Rebecca Ronald Michelle Timothy Amy Jason Angela Jeffrey Helen Ryan Nicole Jacob "
    "Samantha Gary Katherine Nicholas Christine Eric Deborah Jonathan Rachel Larry Carolyn Justin Janet Scott "
    "Catherine Brandon Heather Benjamin Diane Samuel Olivia Gregory Victoria Patrick Kelly Frank Lauren Alejandro "
    "Carmen José Lucía Juan Pilar Carlos Inés Luis Marta Miguel Rocío Javier Ana Antonio Beatriz Fernando Isabel "
    "Pierre Amélie Jean Chloé François Camille Nicolas Élodie Guillaume Manon Mathieu Aurélie Hans Ursula Jürgen "
    "Sabine Klaus Monika Stefan Petra Wolfgang Katrin Günther Heike Sven Astrid Lars Ingrid Björn Karin Erik Maja "
    "Giovanni Giulia Marco Francesca Luca Chiara Andrea Silvia Matteo Paola Piotr Agnieszka Paweł Katarzyna Jan "
    "Małgorzata Tomasz Magdalena Ravi Priya Amit Anjali Sanjay Neha Rahul Pooja Vikram Deepa Arjun Kavita Wei Mei "
    "Jun Ling Hao Yan Ming Xin Hiroshi Yuki Kenji Akiko Takashi Naoko Mohammed Fatima Ahmed Aisha Omar Layla "
    "Hassan Zainab Yusuf Mariam Oluwaseun Ngozi Chinedu Amara Kwame Abena Thabo Lerato Dmitri Olga Sergei Natalia "
    "Ivan Tatiana João Beatriz Pedro Mariana Tiago Catarina Minh Linh Duc Huong Jin Soo-jin Min Ji-woo Mehmet Ayşe "
    "Emre Zeynep Noah Mia Liam Zoe Ethan Ava Lucas Isla Oscar Freya Hugo Alma Theo Ida Leo Elsa Finn Nora Max"
).split()

_SURNAMES = (
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Wilson Anderson Taylor Thomas Moore "
    "Jackson Martin Lee Thompson White Harris Clark Lewis Robinson Walker Young Allen King Wright Scott Torres "
    "Nguyen Hill Green Adams Nelson Baker Hall Campbell Mitchell Carter Roberts Phillips Evans Turner Parker Collins "
    "Edwards Stewart Morris Murphy Cook Rogers Morgan Cooper Peterson Reed Bailey Bell Kelly Howard Ward Cox Richardson "
    "Wood Watson Brooks Bennett Gray Hughes Price Myers Long Foster Sanders Ross Powell Sullivan Russell Jenkins Müller "
    "Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Koch Bauer Richter Klein Wolf Schröder Neumann "
    "Dubois Durand Moreau Laurent Lefèvre Girard Bonnet Rousseau Blanc Guérin Rossi Ferrari Russo Bianchi Romano Colombo "
    "González Fernández López Sánchez Pérez Gómez Ruiz Díaz Álvarez Romero Silva Santos Oliveira Souza Costa Pereira "
    "Almeida Kowalski Nowak Wiśniewski Zieliński Novák Horváth Popescu Ivanov Petrov Kumar Singh Sharma Patel Gupta Reddy "
    "Iyer Mehta Khan Ali Hussain Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Tanaka Suzuki Sato Watanabe Kim Park Choi "
    "Andersson Johansson Nilsson Hansen Jensen Nielsen Larsen Virtanen Korhonen de-Vries van-den-Berg Jansen Bakker "
    "Peeters O'Brien O'Connor McCarthy Byrne Okafor Adeyemi Mensah Dlamini Nkosi Abdullah Rahman Yılmaz Kaya Demir Cohen"
).split()
_FRONT = (
    "Ash Black Brad Brook Burn Carl Chad Clay Cran Dal Den East El Fair Fen Gar Glen Grim Hal Har Hart Haw Hol Kel King "
    "Lang Led Lin Lock Mar Mel Mid New North Oak Old Pem Pres Rad Red Rock Row Ruth Sel Shel Stan Sud Thorn Wal Ware Wat "
    "Wes Whit Wil Win Wood York"
).split()
_END = (
    "bury by combe cott den dale ell field ford gate grave ham hurst ington land ley low man mere more ney port ridge "
    "shaw son stead stock ston thorpe ton ville ward well wick worth"
).split()
LAST_NAMES = [name.replace("-", " ") for name in _SURNAMES] + [f"{a}{b}" for b in _END for a in _FRONT]
"""About 200 real surnames, the commonest, and a long tail of 1,900 that only sound like it."""

COUNTRIES = {
    "US": 400, "GB": 90, "IN": 80, "DE": 60, "FR": 55, "CA": 50, "BR": 35, "NL": 30, "AU": 30, "ES": 28, "IT": 26,
    "SG": 14, "SE": 14, "CH": 13, "MX": 13, "PL": 12, "JP": 12, "IE": 10, "BE": 10, "IL": 9, "DK": 8, "AE": 8, "NO": 7,
    "ZA": 7, "AT": 6, "FI": 6, "PT": 6, "AR": 5, "NZ": 5, "CZ": 4, "RO": 4, "KR": 4, "CO": 3, "NG": 3, "PH": 3, "TR": 3,
    "HU": 2, "GR": 2, "UA": 2, "KE": 1, "EG": 1, "VN": 1, "ID": 1, "EE": 1, "LT": 1,
}  # fmt: skip

FUNCTIONS = {
    "Sales": "Account Executive", "Software Engineering": "Software Engineer", "Marketing": "Marketing Specialist",
    "Operations": "Operations Analyst", "Finance": "Financial Analyst", "Human Resources": "Recruiter",
    "Customer Success": "Customer Success Associate", "Information Technology": "Systems Administrator",
    "Product": "Product Analyst", "Business Development": "Business Development Representative",
    "Engineering": "Mechanical Engineer", "Data Science": "Data Scientist", "Legal": "Counsel",
    "Research": "Research Scientist", "Procurement": "Buyer", "Supply Chain": "Logistics Coordinator",
    "Quality": "Quality Engineer", "Strategy": "Strategy Analyst", "Consulting": "Consultant", "Design": "Designer",
    "Accounting": "Accountant", "Information Security": "Security Engineer", "Communications": "Communications Officer",
    "Clinical Services": "Registered Nurse", "Education": "Teacher", "Facilities": "Technician",
    "Customer Support": "Support Agent", "Risk and Compliance": "Compliance Officer", "Brand": "Brand Specialist",
    "Partnerships": "Partnership Associate",
}  # fmt: skip
"""A function and the title of who works in it without rank."""

CHIEFS = (
    "Chief Executive Officer", "CEO", "Founder", "Managing Director", "Co-Founder & CEO", "Owner", "CFO", "CTO",
    "President", "Partner", "Chief Financial Officer", "Chief Marketing Officer", "COO", "Chief Technology Officer",
    "Chief of Staff", "General Manager", "Executive Assistant", "Board Member", "Chief Revenue Officer", "CISO",
)  # fmt: skip

_RANKS = {
    "{role}": 30, "Senior {role}": 18, "{function} Manager": 14, "Director of {function}": 7, "Lead {role}": 5,
    "Junior {role}": 4, "Senior {function} Manager": 4, "Head of {function}": 4, "VP of {function}": 3,
    "Vice President, {function}": 2, "Senior Director, {function}": 2, "{function} Intern": 2, "{role} II": 2,
}  # fmt: skip


def titles() -> Draw[str]:
    """Some 400 titles, ranks and functions skewed."""
    held: dict[str, float] = {title: 25 / (place + 2) for place, title in enumerate(CHIEFS)}
    for place, (function, role) in enumerate(FUNCTIONS.items()):
        for rank, weight in _RANKS.items():
            held[rank.format(function=function, role=role)] = weight / (place + 2)
    return weighted(list(held), held.values())


TITLE_TAILS = [
    f"{joint}{topic}"
    for topic in (
        "EMEA", "Americas", "APAC", "DACH", "Nordics", "Public Sector", "Enterprise", "Mid-Market", "SMB", "Cloud",
        "Payments", "Mobility", "Life Sciences", "Retail", "Energy", "Insurance", "Platform", "Growth", "Field", "Digital",
    )
    for joint in (" - ", ", ", " | ", " (", " for ")
]  # fmt: skip

SKILLS = (
    "Leadership|Project Management|Communication|Microsoft Excel|Sales|Marketing|Python|SQL|Negotiation|Strategy|"
    "Customer Service|Salesforce|Java|Data Analysis|Public Speaking|Team Building|Agile|Scrum|JavaScript|Budgeting|"
    "Recruiting|Forecasting|AWS|Kubernetes|Docker|React|Account Management|Business Development|Financial Modelling|SEO|"
    "Content Marketing|Copywriting|Accounting|Auditing|Risk Management|Compliance|Contract Law|Procurement|Lean|Six Sigma|"
    "AutoCAD|SolidWorks|Machine Learning|Statistics|R|Tableau|Power BI|SAP|Oracle|Linux|Networking|Cybersecurity|Go|Rust|"
    "C++|Terraform|Figma|User Research|Product Management|Roadmapping|Event Management|Fundraising|Teaching|Nursing|"
    "Clinical Research|Logistics|Supply Chain|Quality Assurance|Translation|Change Management|Coaching|Mentoring"
).split("|")

TECHNOLOGIES = (
    "Google Analytics|Microsoft 365|WordPress|Salesforce|AWS|Cloudflare|HubSpot|Google Workspace|Slack|Zoom|React|jQuery|"
    "Nginx|Apache|Shopify|Stripe|Zendesk|Marketo|Jira|Confluence|GitHub|GitLab|Docker|Kubernetes|Azure|Google Cloud|MySQL|"
    "PostgreSQL|MongoDB|Redis|Elasticsearch|Kafka|Snowflake|Databricks|Tableau|Power BI|Looker|Segment|Intercom|Mailchimp|"
    "SendGrid|Twilio|Okta|Auth0|Datadog|New Relic|Splunk|PagerDuty|Sentry|Terraform|Ansible|Jenkins|CircleCI|SAP ERP|"
    "Oracle NetSuite|Workday|ServiceNow|DocuSign|Dropbox|Box|Asana|Trello|Notion|Miro|Figma|Adobe Creative Cloud|Magento|"
    "WooCommerce|Drupal|Contentful|Next.js|Vue.js|Angular|Node.js|Django|Ruby on Rails|Laravel|ASP.NET|Java|Python|Go|Rust|"
    "Hadoop|Spark|Airflow|dbt|Fivetran|BigQuery|Redshift|Vercel|Netlify|Fastly|Akamai|Hotjar|Optimizely|Amplitude|Mixpanel"
).split("|")

SCHOOLS = [f"{place} {kind}" for kind in ("University", "College", "Institute of Technology") for place in LAST_NAMES[200:290]]
DEGREES = ("BSc", "BA", "MBA", "MSc", "MA", "PhD", "LLB", "BEng", "MEng")
SUBJECTS = (
    "Business Administration|Computer Science|Economics|Marketing|Mechanical Engineering|Finance|Psychology|Law|History|"
    "Mathematics|Biology|Physics|Accounting|Electrical Engineering|Communications|Political Science|Nursing|Design"
).split("|")

BRAND_FRONT = (
    "North|Blue|Bright|Clear|Silver|Summit|River|Stone|Green|Nova|Alpha|Terra|Vertex|Quantum|Lumen|Atlas|Orion|Cobalt|Delta|"
    "Echo|Fjord|Granite|Harbor|Iron|Juniper|Keystone|Lark|Meridian|Nimbus|Onyx|Pinnacle|Quarry|Raven|Sierra|Tidal|Umber|Vista|"
    "Willow|Zephyr|Amber|Beacon|Cedar|Drift|Ember|Falcon|Glacier|Helix|Indigo|Jade|Kestrel|Lunar|Maple|Noble|Opal|Prairie"
).split("|")
BRAND_END = (
    "wind|field|path|works|point|bridge|gate|line|stone|ware|craft|forge|leaf|light|mark|peak|port|shore|spring|star|stream|"
    "vale|view|ville|wave|way|wood|yard|crest|dale"
).split("|")
BRAND_TRADE = (
    "Analytics|Systems|Software|Consulting|Logistics|Foods|Energy|Health|Capital|Partners|Media|Labs|Engineering|Manufacturing|"
    "Construction|Properties|Insurance|Legal|Education|Travel|Robotics|Networks|Security|Pharma|Textiles|Motors|Marine|"
    "Aerospace|Agriculture|Packaging|Chemicals|Design|Studios|Retail|Trading|Ventures|Staffing|Research|Biotech|Solutions"
).split("|")
LEGAL_FORMS = {
    "US": (" Inc.", " LLC", " Corp.", "", ", Inc."), "GB": (" Ltd", " Limited", " plc", ""), "DE": (" GmbH", " AG", ""),
    "FR": (" SAS", " SA", ""), "NL": (" B.V.", ""), "SE": (" AB", ""), "IT": (" S.p.A.", " S.r.l.", ""),
    "ES": (" S.L.", " S.A.", ""), "BR": (" Ltda.", " S.A."), "IN": (" Pvt. Ltd.", " Limited"), "PL": (" Sp. z o.o.", ""),
}  # fmt: skip

SIZES = {(1, 10): 40, (11, 50): 28, (51, 200): 16, (201, 500): 7, (501, 1000): 4, (1001, 5000): 3, (5001, 10_000): 1}
COMPANY_TYPES = {"Private Company": 70, "Public Company": 8, "Non Profit": 8, "Self Employed": 6, "Educational": 5, "Government": 3}  # fmt: skip
