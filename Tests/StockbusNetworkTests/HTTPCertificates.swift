/// An authority and a certificate for localhost, made for these tests; both end in the year 2125.
///
/// Made with openssl: two P-256 keys, `req -x509 -days 36500` for the authority, `x509 -req` with `subjectAltName=DNS:localhost`.
enum HTTPCertificates {
  static let authority = """
    -----BEGIN CERTIFICATE-----
    MIIBmzCCAUGgAwIBAgIUDq9o71kn2twVNVEMfxG8F+2VrFcwCgYIKoZIzj0EAwIw
    IjEgMB4GA1UEAwwXc3RvY2tidXMgdGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMDUw
    NDQ5WhgPMjEyNjEwMjgwNTA0NDlaMCIxIDAeBgNVBAMMF3N0b2NrYnVzIHRlc3Qg
    YXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAECU1idj47p992oyV/
    TaqFiD9wMmuGRUpn5ZtfgPSM2o1hqiaMk/kbjoZakK0KLs58Elcws4IX5BmaJieF
    vEacOqNTMFEwHQYDVR0OBBYEFBePf+LcLjxEkircdoZgOsIZSSWSMB8GA1UdIwQY
    MBaAFBePf+LcLjxEkircdoZgOsIZSSWSMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZI
    zj0EAwIDSAAwRQIgXVckOYC+HeRn7roolCuzkdw4yL8qBd3Ml/izARtLs3gCIQCA
    w/5uXTyIZ8ajDM1G1nzz13IIa4SXQGgxUfHiqSRmsg==
    -----END CERTIFICATE-----

    """

  static let chain = """
    -----BEGIN CERTIFICATE-----
    MIIBnjCCAUOgAwIBAgIUb2WcxspQAt6t73aODyTZAHvvEeMwCgYIKoZIzj0EAwIw
    IjEgMB4GA1UEAwwXc3RvY2tidXMgdGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMDUw
    NDUwWhgPMjEyNjEwMjgwNTA0NTBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMG
    ByqGSM49AgEGCCqGSM49AwEHA0IABMaqVe0MEI+zIHDLlrrpQ6Kdp5Q1I4HIb3uX
    WpxbCUfmDacCzBOz+Gh47bRDKHx6ese4Wlp+soCHxTeUOeq6kJGjYzBhMBQGA1Ud
    EQQNMAuCCWxvY2FsaG9zdDAJBgNVHRMEAjAAMB0GA1UdDgQWBBR1a/1OfHRvfLTE
    eZjbS/rot3C+vTAfBgNVHSMEGDAWgBQXj3/i3C48RJIq3HaGYDrCGUklkjAKBggq
    hkjOPQQDAgNJADBGAiEAvYXIZC+rKcQfx/uw+3UKBsSxrrr+azWiAtuyfx3geucC
    IQCGS3YQatIcgwqlSaNJ6RNF0F7vq5XH9cKfTSazbAfsEA==
    -----END CERTIFICATE-----

    """

  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4d+VZuWFDDqjXHox
    oWw0GADXZ8abSOBfjCJ07y2Kyw6hRANCAATGqlXtDBCPsyBwy5a66UOinaeUNSOB
    yG97l1qcWwlH5g2nAswTs/hoeO20Qyh8enrHuFpafrKAh8U3lDnqupCR
    -----END PRIVATE KEY-----

    """
}
