import pytest

from firmograph.webhooks.sending.signing import headers, signature, standard_signature

pytestmark = pytest.mark.no_database


def test_the_specified_signature_covers_timestamp_point_and_body():
    # printf '1790000000.{"id":"a"}' | openssl dgst -sha256 -hmac whsec_c2VjcmV0
    computed = signature("whsec_c2VjcmV0", 1_790_000_000, b'{"id":"a"}')
    assert computed == "9240bb184bcdbbacb9ffff474d2417f1747d13d576227779b2e03217857d6bae"


def test_the_standard_signature_agrees_with_the_published_example():
    # https://github.com/standard-webhooks/standard-webhooks, tests of its libraries
    computed = standard_signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1_614_265_330,
        b'{"test": 2432232314}',
    )
    assert computed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("brand", ["Service", "Acme", "A", "My-Brand-2"])
def test_headers_are_named_by_the_brand_and_the_convention(brand):
    computed = headers(brand, "whsec_c2VjcmV0", "8f14e45f", 1_790_000_000, b"{}")
    assert computed == {
        "Content-Type": "application/json",
        "User-Agent": f"{brand}-Webhooks/1.0",
        f"X-{brand}-Signature": signature("whsec_c2VjcmV0", 1_790_000_000, b"{}"),
        f"X-{brand}-Timestamp": "1790000000",
        "webhook-id": "8f14e45f",
        "webhook-timestamp": "1790000000",
        "webhook-signature": standard_signature("whsec_c2VjcmV0", "8f14e45f", 1_790_000_000, b"{}"),
    }
