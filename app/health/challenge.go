package health

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

// maxLook is how much of a body is searched, in bytes: challenge pages are
// short, and say early what they are. Most pages are none, and are searched for nothing.
const maxLook = 8 << 10

// Challenged reports whether a response is no page but a test whether the
// visitor is human, or a browser. Header names are in canonical form; body is the
// decoded body, or its beginning. The markers are those of the wide-spread services;
// most count only with a status that says no, since pages with a login form
// have them as well.
func Challenged(status int, header http.Header, body []byte) bool {
	if strings.EqualFold(header.Get("Cf-Mitigated"), "challenge") { // Cloudflare
		return true
	}
	switch strings.ToLower(header.Get("X-Amzn-Waf-Action")) { // AWS WAF, with 202 or 405
	case "captcha", "challenge":
		return true
	}
	body = body[:min(len(body), maxLook)]
	if containsAny(body, always) {
		return true
	}
	switch status {
	case http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return containsAny(body, whenRefused) || header.Get("X-Datadome") != "" && status == http.StatusForbidden
	case http.StatusOK:
		// Imperva sends a page that holds nothing but a frame.
		return len(body) < 4<<10 && bytes.Contains(body, []byte("_Incapsula_Resource")) &&
			bytes.Contains(body, []byte("incident_id"))
	}
	return false
}

// always are markers that no page has but the challenge, whatever its status.
var always = [][]byte{
	[]byte(`id="anubis_challenge"`), // Anubis sends 200
}

// whenRefused are markers of challenges with a status that says no.
var whenRefused = [][]byte{
	[]byte("_cf_chl_opt"), []byte("/cdn-cgi/challenge-platform/"), []byte("cf-chl-"), // Cloudflare
	[]byte("cf-turnstile"), []byte("g-recaptcha"), []byte("h-captcha"), // of anybody's use
	[]byte("recaptcha/api.js"), []byte("hcaptcha.com/1/api.js"),
	[]byte("captcha-delivery.com"),                       // DataDome
	[]byte("px-captcha"),                                 // HUMAN
	[]byte("_Incapsula_Resource"),                        // Imperva
	[]byte("sec-if-cpt-container"), []byte("bm-verify="), // Akamai
	[]byte("/.well-known/ddos-guard/"), []byte("ddos-guard/js-challenge"), // DDoS-Guard
	[]byte("awsWafCookieDomainList"), []byte("awswaf.com/"), // AWS WAF
}

func containsAny(body []byte, markers [][]byte) bool {
	return slices.ContainsFunc(markers, func(m []byte) bool { return bytes.Contains(body, m) })
}
