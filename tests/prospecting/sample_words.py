"""Small vocabularies of generated records: several scripts, and texts that are hard to compare."""

FIRST_NAMES = ("Anna", "José", "Søren", "Zoë", "Mary Ann", "Łukasz", "Мария", "太郎", "D'Arcy", "Ann", "Jose")
LAST_NAMES = (
    "Müller",
    "Smith",
    "Smith-Jones",
    "O’Brien",
    "García",
    "Иванова",
    "山田",
    "van der Berg",
    "Li",
    "김 철수",
)
TITLES = (
    "VP Sales", "Vice President of Sales", "Vice-President, Sales & Marketing", "Sr. Software Engineer",
    "Senior Software Engineer", "Software Engineer", "Sr Engineer, Software (Cloud)", "Head of Marketing", "CEO",
    "Chief Executive Officer", "CTO & Co-Founder", "Chief Technology Officer", "Directeur Général", "Ingénieur",
    "営業部長", "ソフトウェアエンジニア", "Director of the Board", "HR Manager", "Human Resources Manager",
    "Intern, Data Science", "Mgr, Data Science", "Owner", "V.P. of R&D", "C.E.O.", "VP、営業", "영업 부장", "The And",
)  # fmt: skip
SKILLS = (
    "Python",
    "Machine Learning",
    "Learning & Development",
    "C++",
    "Go",
    "データ分析",
    "Gestão de Projetos",
)
CERTIFICATIONS = ("PMP", "AWS Certified Developer", "Certified Scrum Master", "CPA", "Certified Developer")
AWARDS = ("Employee of the Year", "Best Paper", "Salesperson of the Year", "Prix de l'Année")
SCHOOLS = ("University of Example", "Example Institute of Technology", "École Exemple", "東京例大学")
DEGREES = ("Bachelor of Science", "BSc", "Master of Science", "MBA", "PhD")
STUDIES = ("Computer Science", "Science of Materials", "Économie", "Law")
BRANDS = (
    "Acme",
    "Globex",
    "Initech Solutions",
    "Smith & Sons",
    "Österreichische Beispiel",
    "例示商事",
    "Red Hat",
)
FORMS = ("", " Inc.", " GmbH", ", LLC", " Ltd", " S.A.")
TRADES = (
    "cloud security",
    "machine learning",
    "retail software",
    "Beratung für Öl",
    "クラウド",
    "wind energy",
)
TECHNOLOGIES = (
    "Salesforce",
    "Google Analytics",
    "Google Ads",
    "C++",
    "C#",
    "Node.js",
    "PostgreSQL",
    "Café POS",
)
TOPICS = ("Cloud Security", "Data Analytics", "CRM", "Zero Trust", "Sécurité")
INVESTORS = ("Example Capital", "Example Ventures", "Sample Partners", "Beispiel Capital")
SIC = (100, 111, 1521, 7372, 7371, 6021)
NAICS = (11, 31, 3254, 325412, 33, 541511, 541512, 54, 44, 722)
ROUND_TYPES = (
    "Pre-Seed",
    "Seed",
    "Series A",
    "Series B",
    "Series H",
    "series_c",
    "Series A1",
    "Grant",
    "Debt Financing",
)
ROUND_NAMES = (
    "Angel",
    "Venture Round",
    "Private Equity",
    "Crowdfunding",
    "Grant",
    "Debt Financing",
    "venture",
)
CURRENCIES = ("USD", "USD", "USD", None, "EUR", "GBP", "XXX")
MONTHS = ("Jan", "Feb", "Mar", "Jun", "Sep", "Dec")
PLACES = (
    ("US", "CA", "San Francisco", ("94107", "94103")),
    ("US", "CA", "Los Angeles", ("90001",)),
    ("US", "IL", "Chicago", ("60601", "60602")),
    ("US", "NY", "New York City", ("10001",)),
    ("CA", "ON", "Toronto", ("M5V 2T6",)),
    ("DE", "BY", "Munich", ("80331", "80333")),
    ("DE", "BY", "Nuremberg", ("90402",)),
    ("DE", "BE", "Berlin", ("10115",)),
    ("AT", "9", "Vienna", ("1010",)),
    ("CH", "ZH", "Zürich", ("8001",)),
    ("DK", "84", "Copenhagen", ("1050",)),
    ("FR", "IDF", "Paris", ("75001", "75002")),
    ("US", "TX", "Paris", ("75460",)),
    ("GB", "ENG", "London", ("EC1A 1BB", "SW1A1AA")),
    ("JP", "13", "Tokyo", ("100-0001",)),
    ("BR", "SP", "São Paulo", ("01310-100",)),
    ("MX", "CMX", "Mexico City", ("06000",)),
    ("IN", "KA", "Bengaluru", ("560001",)),
    ("ZA", "GP", "Johannesburg", ("2000",)),
    ("AE", "DU", "Dubai", ()),
    ("AU", "NSW", "Sydney", ("2000",)),
    ("NO", "03", "Oslo", ("0150",)),
    ("US", "CA", "Nowhere Springs", ("94107",)),
    ("US", "St. O’Elsewhere", "Springfield", ("94107",)),
    ("FJ", None, "Dateline", ("0001",)),
    ("NZ", None, "Dateline", ("0001",)),
    ("Atlantis", "Poseidonis", "Paris", ("75001",)),
)
POSITIONS = {
    "Dateline": (179.95, -17.0),
    "San Francisco": (-122.42, 37.77),
    "Chicago": (-87.63, 41.88),
    "Munich": (11.58, 48.14),
}
