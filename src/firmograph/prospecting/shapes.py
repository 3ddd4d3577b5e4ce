"""The requests of prospecting (wire-a 4.1 and 4.2). An unknown property is refused.

Empty objects and lists count as absent (decisions E). One list of company criteria serves both endpoints.
"""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.prospecting import shape_values as of


class _Body(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """A request, or a part of one."""


class Location(_Body):
    """A place; all that is said of it holds. Codes, English and local names are understood."""

    city: of.Text | UnsetType = UNSET
    state: of.Text | UnsetType = UNSET
    country: of.Text | UnsetType = UNSET
    continent: of.Text | UnsetType = UNSET
    country_grouping: of.Text | UnsetType = UNSET
    snake_country_grouping: of.Text | UnsetType = msgspec.field(default=UNSET, name="country_grouping")
    region: of.Text | UnsetType = UNSET
    country_iso2: of.CountryCode | UnsetType = UNSET


class Radius(_Body):
    """Within so many miles of the middle of a postcode's records."""

    country: of.Text
    zipcode: of.Postcode
    distance: of.Miles


class Zipcode(_Body):
    country_iso2: of.CountryCode
    zipcode: of.Postcode


class Range(_Body):
    """Both bounds included; either may be left out."""

    min: of.Figure | UnsetType = UNSET
    max: of.Figure | UnsetType = UNSET


Locations = Annotated[list[Location], of.LISTED]
Radii = Annotated[list[Radius], Meta(max_length=of.MOST_RADII)]
Zipcodes = Annotated[list[Zipcode], of.LISTED]
Ranges = Annotated[list[Range], of.LISTED]


class Education(_Body):
    degrees: of.Texts | UnsetType = UNSET
    fields_of_study: of.Texts | UnsetType = UNSET
    schools: of.Texts | UnsetType = UNSET
    start_year_gte: of.Year | UnsetType = UNSET
    graduation_year_lte: of.Year | UnsetType = UNSET


class Score(_Body):
    """Completeness of the record, scaled to 0..100."""

    min_score: of.Percent | UnsetType = UNSET
    max_score: of.Percent | UnsetType = UNSET


class ContactSignals(_Body):
    types: of.ContactSignalTypes | UnsetType = UNSET
    start_date: of.Day | UnsetType = UNSET


class SignalPlace(_Body):
    country: of.Text
    state: of.Text | UnsetType = UNSET
    start_date: of.Day | UnsetType = UNSET


class SignalDepartment(_Body):
    department: of.Department
    start_date: of.Day | UnsetType = UNSET


class CompanySignals(_Body):
    """`filterByIntentCategory` acts only with `linkedinActivityIntent` or `allSignals` among the types."""

    types: of.CompanySignalTypes | UnsetType = UNSET
    start_date: of.Day | UnsetType = UNSET
    filter_by_location: Annotated[list[SignalPlace], of.LISTED] | UnsetType = UNSET
    filter_by_department: Annotated[list[SignalDepartment], of.LISTED] | UnsetType = UNSET
    filter_by_intent_category: of.Texts | UnsetType = UNSET


class EmployeeCriteria(_Body):
    """What company prospecting may ask of a contact of the company."""

    job_titles: of.Texts | UnsetType = UNSET
    departments: of.Departments | UnsetType = UNSET
    seniority_ids: of.SeniorityIds | UnsetType = UNSET
    skills: of.Texts | UnsetType = UNSET
    locations: Locations | UnsetType = UNSET
    existing_data_points: of.DataPoints | UnsetType = UNSET
    existing_data_points_condition: of.Condition | UnsetType = UNSET


class ContactCriteria(EmployeeCriteria):
    """One filter a property: any value of one filter, and all filters."""

    names: of.Texts | UnsetType = UNSET
    job_titles_exact_match: of.Texts | UnsetType = UNSET
    normalized_job_titles: of.Texts | UnsetType = UNSET
    previous_job_title: of.Texts | UnsetType = UNSET
    certifications: of.Texts | UnsetType = UNSET
    awards: of.Texts | UnsetType = UNSET
    linkedin_urls: of.PersonUrls | UnsetType = UNSET
    ids: of.Ids | UnsetType = UNSET
    search_text: of.SearchText | UnsetType = UNSET
    countries: of.CountryCodes | UnsetType = UNSET
    emails: of.Emails | UnsetType = UNSET
    previous_emails: of.Emails | UnsetType = UNSET
    signals: ContactSignals | UnsetType = UNSET
    job_changed_after_date: of.Day | UnsetType = UNSET
    job_changed_last_view_date: of.Day | UnsetType = UNSET
    education: Education | UnsetType = UNSET
    score: Score | UnsetType = UNSET
    geographic_details: Radii | UnsetType = UNSET


class FundingRange(_Body):
    """`any_round` unless another coverage is named."""

    coverage: of.Coverage | UnsetType = UNSET
    min: of.Figure | UnsetType = UNSET
    max: of.Figure | UnsetType = UNSET


class FundingDate(_Body):
    """On this day or after it."""

    date: of.Day
    coverage: of.RoundCoverage | UnsetType = UNSET


class FundingRound(_Body):
    round: of.Round
    coverage: of.RoundCoverage | UnsetType = UNSET


class FundingName(_Body):
    name: of.RoundName
    coverage: of.RoundCoverage | UnsetType = UNSET


class Funding(_Body):
    is_ipo: bool | UnsetType = UNSET
    ranges: Annotated[list[FundingRange], of.LISTED] | UnsetType = UNSET
    date: FundingDate | UnsetType = UNSET
    rounds: Annotated[list[FundingRound], of.LISTED] | UnsetType = UNSET
    names: Annotated[list[FundingName], of.LISTED] | UnsetType = UNSET
    investors: of.Texts | UnsetType = UNSET
    types: of.Texts | UnsetType = UNSET


class CompanyCriteria(_Body):
    """One filter a property: any value of one filter, and all filters."""

    names: of.Texts | UnsetType = UNSET
    domains: of.Domains | UnsetType = UNSET
    ids: of.Ids | UnsetType = UNSET
    linkedin_urls: of.CompanyUrls | UnsetType = UNSET
    keywords: of.Texts | UnsetType = UNSET
    keywords_search_fields: of.SearchFields | UnsetType = UNSET
    exact_keywords: of.Texts | UnsetType = UNSET
    specialities: of.Texts | UnsetType = UNSET
    exact_specialities: of.Texts | UnsetType = UNSET
    previous_company_domains: of.Domains | UnsetType = UNSET
    previous_company_names: of.Texts | UnsetType = UNSET
    locations: Locations | UnsetType = UNSET
    sizes: Ranges | UnsetType = UNSET
    revenues: Ranges | UnsetType = UNSET
    technologies: of.Texts | UnsetType = UNSET
    technologies_condition: of.Condition | UnsetType = UNSET
    industries_labels: of.Texts | UnsetType = UNSET
    main_industries_ids: of.IndustryIds | UnsetType = UNSET
    sub_industries_ids: of.IndustryIds | UnsetType = UNSET
    intent_topics: of.Texts | UnsetType = UNSET
    intent_topics_condition: of.Condition | UnsetType = UNSET
    intent_topics_operator: of.Operator | UnsetType = UNSET
    intent_min_score: of.TopicScore | UnsetType = UNSET
    intent_max_score: of.TopicScore | UnsetType = UNSET
    topic_count_threshold: Ranges | UnsetType = UNSET
    sic_codes: of.SicCodes | UnsetType = UNSET
    sics_codes: of.SicCodes | UnsetType = UNSET
    naics_codes: of.NaicsCodes | UnsetType = UNSET
    funding: Funding | UnsetType = UNSET
    founded_year: Ranges | UnsetType = UNSET
    business_model: of.BusinessModels | UnsetType = UNSET
    company_type: of.CompanyTypes | UnsetType = UNSET
    geographic_details: Radii | UnsetType = UNSET
    locations_zipcodes: Zipcodes | UnsetType = UNSET
    headquarter_zipcodes: Zipcodes | UnsetType = UNSET
    search_text: of.SearchText | UnsetType = UNSET
    signals: CompanySignals | UnsetType = UNSET


class ContactSide(_Body):
    include: ContactCriteria | UnsetType = UNSET
    exclude: ContactCriteria | UnsetType = UNSET


class CompanySide(_Body):
    include: CompanyCriteria | UnsetType = UNSET
    exclude: CompanyCriteria | UnsetType = UNSET


class EmployeeSide(_Body):
    include: EmployeeCriteria | UnsetType = UNSET
    exclude: EmployeeCriteria | UnsetType = UNSET


class ContactFilters(_Body):
    contacts: ContactSide | UnsetType = UNSET
    companies: CompanySide | UnsetType = UNSET


class CompanyFilters(_Body):
    """`contacts` cannot stand with the company's `searchText`, `signals`, `intent...` or `technologies`."""

    companies: CompanySide | UnsetType = UNSET
    contacts: EmployeeSide | UnsetType = UNSET


class Pagination(_Body, frozen=True):
    page: Annotated[int, Meta(ge=0, le=1000)] = 0
    size: Annotated[int, Meta(ge=10, le=100)] = 25


class ContactOptions(_Body, frozen=True):
    include_partial_profiles: Annotated[bool, Meta(description="Contacts without e-mail and phone too")] = (
        True
    )
    exclude_dnc: Annotated[
        bool, Meta(description="Leaves out contacts with any do-not-call number; not on every plan")
    ] = False
    max_contacts_per_company: (
        Annotated[
            int, Meta(ge=1, le=20, description="Of each company only the first so many, over all pages")
        ]
        | UnsetType
    ) = UNSET


class CompanyOptions(_Body, frozen=True):
    include_partial_profiles: Annotated[
        bool, Meta(description="Companies without domain and LinkedIn URL too")
    ] = False


_FILTERS = Meta(description="At least one value in an `include` or `exclude`")


class ContactProspecting(_Body):
    filters: Annotated[ContactFilters, _FILTERS] | UnsetType = UNSET
    pagination: Pagination = Pagination()
    options: ContactOptions = ContactOptions()
    search_text: (
        Annotated[of.SearchText, Meta(description="The same as `filters.contacts.include.searchText`")]
        | UnsetType
    ) = UNSET
    signals: (
        Annotated[ContactSignals, Meta(description="The same as `filters.contacts.include.signals`")]
        | UnsetType
    ) = UNSET
    exclude_dnc: Annotated[bool, Meta(description="The same as `options.excludeDnc`")] | UnsetType = UNSET


class CompanyProspecting(_Body):
    filters: Annotated[CompanyFilters, _FILTERS] | UnsetType = UNSET
    pagination: Pagination = Pagination()
    options: CompanyOptions = CompanyOptions()
    search_text: (
        Annotated[of.SearchText, Meta(description="The same as `filters.companies.include.searchText`")]
        | UnsetType
    ) = UNSET
    signals: (
        Annotated[CompanySignals, Meta(description="The same as `filters.companies.include.signals`")]
        | UnsetType
    ) = UNSET
    filter_by_intent_category: (
        Annotated[
            of.Texts,
            Meta(description="The same as `filters.companies.include.signals.filterByIntentCategory`"),
        ]
        | UnsetType
    ) = UNSET
