"""JSON shapes of the filters in one `include` or `exclude`.

See docs/reference/prospecting.md#contact-filters.

One list of company criteria serves both endpoints; it has every filter that either of them documents.
"""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.prospecting.filters import value_shapes as of
from firmograph.signals.activity.shapes import CompanySignalFilter, ContactSignalFilter


class RequestPart(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """Part of a request. Unknown properties are refused; empty objects and lists count as absent."""


class LocationFilter(RequestPart):
    """A place that meets all given properties. Codes, English names and local names are recognised."""

    city: of.Text | UnsetType = UNSET
    state: of.Text | UnsetType = UNSET
    country: of.Text | UnsetType = UNSET
    continent: of.Continent | UnsetType = UNSET
    country_grouping: of.Grouping | UnsetType = UNSET
    snake_country_grouping: of.Grouping | UnsetType = msgspec.field(default=UNSET, name="country_grouping")
    region: of.Text | UnsetType = UNSET
    country_iso2: of.CountryCode | UnsetType = UNSET


class Radius(RequestPart):
    """Distance in miles from the median position of a postcode's records."""

    country: of.Text
    zipcode: of.Postcode
    distance: of.Miles


class Zipcode(RequestPart):
    country_iso2: of.CountryCode
    zipcode: of.Postcode


class Range(RequestPart):
    """Both bounds are included; either may be omitted."""

    min: of.Figure | UnsetType = UNSET
    max: of.Figure | UnsetType = UNSET


Locations = list[LocationFilter]
Radii = Annotated[list[Radius], Meta(max_length=of.MAX_RADII)]
Zipcodes = list[Zipcode]
Ranges = list[Range]
Sizes = Annotated[Ranges, Meta(description="Employees")]
Revenues = Annotated[Ranges, Meta(description="US dollars a year")]


class EducationFilter(RequestPart):
    """Only together with other filters."""

    degrees: of.AllWords | UnsetType = UNSET
    fields_of_study: of.AllWords | UnsetType = UNSET
    schools: of.AllWords | UnsetType = UNSET
    start_year_gte: of.Year | UnsetType = UNSET
    graduation_year_lte: of.Year | UnsetType = UNSET


class ScoreFilter(RequestPart):
    """Completeness of the record on a scale of 0 to 100; only together with other filters."""

    min_score: of.Percent | UnsetType = UNSET
    max_score: of.Percent | UnsetType = UNSET


class EmployeeCriteria(RequestPart):
    """Contact filters of company prospecting."""

    job_titles: of.AllWords | UnsetType = UNSET
    departments: of.Departments | UnsetType = UNSET
    seniority_ids: of.SeniorityIds | UnsetType = UNSET
    skills: of.AllWords | UnsetType = UNSET
    locations: Locations | UnsetType = UNSET
    countries: of.Countries | UnsetType = UNSET
    existing_data_points: of.DataPoints | UnsetType = UNSET
    existing_data_points_condition: of.Condition | UnsetType = UNSET


class ContactCriteria(EmployeeCriteria):
    """One filter per property: any value of each filter, and all filters."""

    names: of.AllWords | UnsetType = UNSET
    job_titles_exact_match: of.WholeTexts | UnsetType = UNSET
    normalized_job_titles: of.NormalTitles | UnsetType = UNSET
    previous_job_title: of.AllWords | UnsetType = UNSET
    certifications: of.AllWords | UnsetType = UNSET
    awards: of.AllWords | UnsetType = UNSET
    linkedin_urls: of.PersonUrls | UnsetType = UNSET
    ids: of.Ids | UnsetType = UNSET
    search_text: of.SearchText | UnsetType = UNSET
    countries: of.CountryCodes | UnsetType = UNSET
    emails: of.Emails | UnsetType = UNSET
    previous_emails: of.Emails | UnsetType = UNSET
    signals: ContactSignalFilter | UnsetType = UNSET
    job_changed_after_date: of.JobDay | UnsetType = UNSET
    job_changed_last_view_date: of.JobDay | UnsetType = UNSET
    education: EducationFilter | UnsetType = UNSET
    score: ScoreFilter | UnsetType = UNSET
    geographic_details: Radii | UnsetType = UNSET


class FundingRange(RequestPart):
    """Coverage defaults to `any_round`."""

    coverage: of.Coverage | UnsetType = UNSET
    min: of.Figure | UnsetType = UNSET
    max: of.Figure | UnsetType = UNSET


class FundingDate(RequestPart):
    """On this day or later."""

    date: of.Day
    coverage: of.RoundCoverage | UnsetType = UNSET


class FundingRoundFilter(RequestPart):
    round: of.Round
    coverage: of.RoundCoverage | UnsetType = UNSET


class FundingName(RequestPart):
    name: of.RoundName
    coverage: of.RoundCoverage | UnsetType = UNSET


class FundingFilter(RequestPart):
    is_ipo: bool | UnsetType = UNSET
    ranges: list[FundingRange] | UnsetType = UNSET
    date: FundingDate | UnsetType = UNSET
    rounds: list[FundingRoundFilter] | UnsetType = UNSET
    names: list[FundingName] | UnsetType = UNSET
    investors: of.AllWords | UnsetType = UNSET
    types: of.WholeTexts | UnsetType = UNSET


class CompanyCriteria(RequestPart):
    """One filter per property: any value of each filter, and all filters."""

    names: of.AllWords | UnsetType = UNSET
    domains: of.Domains | UnsetType = UNSET
    ids: of.Ids | UnsetType = UNSET
    linkedin_urls: of.CompanyUrls | UnsetType = UNSET
    keywords: of.AllWords | UnsetType = UNSET
    keywords_search_fields: of.SearchFields | UnsetType = UNSET
    exact_keywords: of.WholeTexts | UnsetType = UNSET
    specialities: of.AllWords | UnsetType = UNSET
    exact_specialities: of.WholeTexts | UnsetType = UNSET
    previous_company_domains: of.Domains | UnsetType = UNSET
    previous_company_names: of.AllWords | UnsetType = UNSET
    locations: Locations | UnsetType = UNSET
    countries: of.Countries | UnsetType = UNSET
    sizes: Sizes | UnsetType = UNSET
    revenues: Revenues | UnsetType = UNSET
    technologies: of.WholeTexts | UnsetType = UNSET
    technologies_condition: of.Condition | UnsetType = UNSET
    industries_labels: of.IndustryLabels | UnsetType = UNSET
    main_industries_ids: of.IndustryIds | UnsetType = UNSET
    sub_industries_ids: of.IndustryIds | UnsetType = UNSET
    intent_topics: of.WholeTexts | UnsetType = UNSET
    intent_topics_condition: of.Condition | UnsetType = UNSET
    intent_topics_operator: of.Operator | UnsetType = UNSET
    intent_min_score: of.TopicScore | UnsetType = UNSET
    intent_max_score: of.TopicScore | UnsetType = UNSET
    topic_count_threshold: Ranges | UnsetType = UNSET
    sic_codes: of.SicCodes | UnsetType = UNSET
    sics_codes: of.SicCodes | UnsetType = UNSET
    naics_codes: of.NaicsCodes | UnsetType = UNSET
    funding: FundingFilter | UnsetType = UNSET
    founded_year: Ranges | UnsetType = UNSET
    business_model: of.BusinessModels | UnsetType = UNSET
    company_type: of.CompanyTypes | UnsetType = UNSET
    geographic_details: Radii | UnsetType = UNSET
    locations_zipcodes: Zipcodes | UnsetType = UNSET
    headquarter_zipcodes: Zipcodes | UnsetType = UNSET
    search_text: of.SearchText | UnsetType = UNSET
    signals: CompanySignalFilter | UnsetType = UNSET
