import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.company_names import company_key, company_keys, loose_key

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    ("names", "key"),
    [
        (("Red Hat, Inc.", "RedHat", "RED HAT INCORPORATED"), "redhat"),
        (("Smith & Sons Ltd", "The Smith and Sons Company", "Smith & Sons Co., Ltd."), "smithsons"),
        (("Müller GmbH & Co. KG", "MULLER", "Müller Gesellschaft mit beschränkter Haftung"), "muller"),
        (("Grupo Foo S.A. de C.V.", "Grupo Foo, SA de CV"), "grupofoo"),
        (("Foo Sp. z o.o.", "FOO SP ZOO"), "foo"),
        (("株式会社東芝", "東芝", "東芝 株式会社"), "東芝"),
        (("ООО «Ромашка»", "Общество с ограниченной ответственностью Ромашка"), "ромашка"),
        (("PT Telkom Indonesia Tbk", "Telkom Indonesia"), "telkomindonesia"),
        (("AB Volvo", "Volvo AB (publ)", "Volvo"), "volvo"),
        (("U.S. Senate", "The US Senate"), "ussenate"),
        (("WELLS FARGO & COMPANY/MN", "Wells Fargo & Co"), "wellsfargo"),
        (("Müller e.K.", "Müller e. K.", "Müller eK", "Müller", "Müller GmbH i.L."), "muller"),
        (("Hofer e.U.", "Hofer", "Hofer GmbH in Liquidation"), "hofer"),
        (("Dupont SASU", "Dupont S.A.S.U.", "Dupont"), "dupont"),
        (("Ryan DAC", "Ryan Designated Activity Company", "Ryan"), "ryan"),
        (("Allbirds, Inc., PBC", "Allbirds"), "allbirds"),
        (("Silva, Lda.", "Silva"), "silva"),
        (("Krka d.d.", "Krka d. d.", "Krka"), "krka"),
        (("Tata (P) Ltd", "Tata (P) Limited", "Tata Pvt. Ltd.", "Tata"), "tata"),
        (("Coca-Cola Company, The", "The Coca-Cola Co."), "cocacola"),
    ],
)
def test_spellings_of_one_company_share_a_key(names, key):
    assert {company_key(name) for name in names} == {key}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Limited Brands", "limitedbrands"),
        ("SA Power Networks", "sapowernetworks"),
        ("The Limited", "limited"),
        ("Company", "company"),
        ("GmbH", "gmbh"),
        ("A. O. Smith", "aosmith"),
        ("Too Faced", "toofaced"),
        ("AC/DC", "acdc"),
        ("3M Company", "3m"),
        ("AB InBev", "abinbev"),
        ("AB Foods", "abfoods"),
        ("PT Cruiser Club", "ptcruiserclub"),
        ("PT Solutions", "ptsolutions"),
        ("UAB Health System", "uabhealthsystem"),
        ("Amazon EU", "amazoneu"),
        ("Big DD", "bigdd"),
        ("John P Ltd", "johnp"),
        ("DAC", "dac"),
        ("e.K.", "ek"),
    ],
)
def test_a_legal_form_that_is_the_name_stays(name, key):
    assert company_key(name) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Acme Holdings", "Acme"),
        ("Delta Air Lines", "Delta Faucet Company"),
        ("University of Texas at Dallas", "University of Texas at Tyler"),
    ],
)
def test_different_companies_keep_different_keys(one, other):
    assert company_key(one) != company_key(other)


@given(st.text(max_size=40))
def test_a_name_with_a_letter_or_digit_never_has_an_empty_key(name):
    assert company_key(name) or not any(character.isalnum() for character in name)


@given(st.text(max_size=40))
def test_capitals_do_not_change_the_key_of_a_latin_name(name):
    latin = "".join(character for character in name if character.isascii())
    assert company_key(latin.upper()) == company_key(latin.lower())


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("König & Bauer AG", ("konigbauer", "koenigbauer")),
        ("Ko\u0308nig & Bauer", ("konigbauer", "koenigbauer")),
        ("Koenig & Bauer", ("koenigbauer",)),
        ("ÅBO Ærø AS", ("aboaero", "aaboaeroe")),
        ("Ölmühle Gesellschaft mit beschränkter Haftung", ("olmuhle", "oelmuehle")),
        ("Tallinna Vesi OÜ", ("tallinnavesi",)),
        ("Blue", ("blue",)),
        ("!", ()),
    ],
)
def test_a_name_with_umlauts_has_the_keys_of_both_spellings(name, keys):
    assert company_keys(name) == keys


@given(st.text(max_size=40) | st.text("äöüåøæÄÖÜÅØÆ \u0308au.", max_size=20))
def test_the_first_key_is_that_of_the_name(name):
    assert company_keys(name)[:1] == ((key,) if (key := company_key(name)) else ())


@pytest.mark.parametrize(("one", "other"), [("Mueller", "Muller"), ("König", "Koenig"), ("Blue", "Blu")])
def test_loose_keys_match_umlauts_and_their_transcriptions(one, other):
    assert loose_key(one) == loose_key(other)


def test_acronyms_have_no_loose_key():
    assert [loose_key(name) for name in ("CAEN", "C-UAS", "KOENIG & BAUER")] == ["", "", "konigbaur"]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Acme Unipessoal Lda", "acme"), ("Acme, Unipessoal, Lda.", "acme"), ("Acme Unipessoal Limitada", "acme"),
        ("Acme LTDA ME", "acme"), ("Acme Ltda. - ME", "acme"), ("Acme LTDA-EPP", "acme"), ("Virtanen Ky", "virtanen"),
        ("Virtanen, Ky", "virtanen"), ("Virtanen KY", "virtanenky"), ("Virtanen ky", "virtanenky"), ("Ky", "ky"),
    ],
)  # fmt: skip
def test_portuguese_brazilian_and_finnish_forms_are_dropped_as_they_are_written(name, key):
    assert company_key(name) == key
