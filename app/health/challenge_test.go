package health

import (
	"net/http"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

func TestChallenged(t *testing.T) {
	cloudflare := http.Header{"Server": {"cloudflare"}}
	for _, c := range []struct {
		name   string
		status int
		header http.Header
		body   string
		want   bool
	}{
		{"Cloudflare says so", 403, http.Header{"Cf-Mitigated": {"challenge"}, "Server": {"cloudflare"}}, "", true},
		{"Cloudflare says so with another status", 503, http.Header{"Cf-Mitigated": {"Challenge"}}, "", true},
		{"Cloudflare's managed challenge", 403, cloudflare, `<title>Just a moment...</title><script>window._cf_chl_opt={}</script>`, true},
		{"Cloudflare's old challenge", 503, cloudflare, `<form id="challenge-form" class="cf-chl-widget">`, true},
		{"Cloudflare's script on a page", 200, cloudflare, `<p>Bread</p><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js">`, false},
		{"Cloudflare refuses", 403, cloudflare, `<h1>Error 1020</h1> Access denied`, false},
		{"Cloudflare asks to wait", 429, cloudflare, `<h1>Error 1015</h1> You are being rate limited`, false},
		{"the site is down behind Cloudflare", 522, cloudflare, `cf-turnstile`, false},
		{"AWS challenges", 202, http.Header{"X-Amzn-Waf-Action": {"challenge"}}, "", true},
		{"AWS asks for a captcha", 405, http.Header{"X-Amzn-Waf-Action": {"captcha"}}, "", true},
		{"AWS lets pass", 200, http.Header{"X-Amzn-Waf-Action": {"allow"}}, "<p>Bread</p>", false},
		{"DataDome", 403, http.Header{"X-Datadome": {"protected"}}, "", true},
		{"DataDome's script", 403, nil, `<script src="https://ct.captcha-delivery.com/c.js">`, true},
		{"DataDome on a page", 200, http.Header{"X-Datadome": {"protected"}}, "<p>Bread</p>", false},
		{"HUMAN", 403, nil, `<div id="px-captcha"></div>`, true},
		{"Imperva", 403, nil, `<iframe src="/_Incapsula_Resource?incident_id=1">`, true},
		{"Imperva with 200", 200, nil, `<html><iframe src="/_Incapsula_Resource?CWUDNSAI=1&incident_id=1-2"></iframe></html>`, true},
		{"Imperva's script on a page", 200, nil, `<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>`, false},
		{"Imperva's words in a long page", 200, nil, `_Incapsula_Resource incident_id` + strings.Repeat(" ", 5000), false},
		{"Akamai", 403, nil, `<div id="sec-if-cpt-container">`, true},
		{"Akamai refuses", 403, http.Header{"Server": {"AkamaiGHost"}}, `<H1>Access Denied</H1>`, false},
		{"DDoS-Guard", 403, http.Header{"Server": {"ddos-guard"}}, `<script src="/.well-known/ddos-guard/js-challenge/index.js">`, true},
		{"Anubis", 200, nil, `<script id="anubis_challenge" type="application/json">`, true},
		{"captcha of anybody", 429, nil, `<div class="g-recaptcha" data-sitekey="x">`, true},
		{"hCaptcha", 403, nil, `<div class="h-captcha">`, true},
		{"captcha in a contact form", 200, nil, `<form><div class="g-recaptcha" data-sitekey="x">`, false},
		{"captcha on a page that is gone", 404, nil, `<form><div class="g-recaptcha">`, false},
		{"a plain 403", 403, nil, "Forbidden", false},
		{"a plain 429", 429, nil, "Slow down", false},
		{"a plain 503", 503, nil, "", false},
		{"a page about captchas", 200, nil, "How px-captcha and hcaptcha.com/1/api.js work", false},
		{"beyond what is searched", 403, nil, strings.Repeat(" ", maxLook) + "g-recaptcha", false},
	} {
		if got := Challenged(c.status, c.header, []byte(c.body)); got != c.want {
			t.Errorf("%s: Challenged = %v, want %v", c.name, got, c.want)
		}
	}
}

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		result     crawl.Result
		status     int
		challenged bool
		want       Kind
	}{
		{crawl.Fetched, 200, false, OK},
		{crawl.Fetched, 200, true, Challenge},
		{crawl.Redirected, 301, false, OK},
		{crawl.Unchanged, 304, false, OK},
		{crawl.Skipped, 200, false, OK},
		{crawl.Gone, 404, false, OK},
		{crawl.Gone, 401, false, OK},
		{crawl.Gone, 403, false, Refused},
		{crawl.Gone, 403, true, Challenge},
		{crawl.Gone, 0, false, Failed},
		{crawl.Refused, 429, false, AskedToWait},
		{crawl.Refused, 503, false, AskedToWait},
		{crawl.Refused, 503, true, Challenge},
		{crawl.Failed, 500, false, Failed},
		{crawl.Failed, 0, false, Failed},
		{crawl.Forbidden, 0, false, Forbidden},
		{crawl.Deferred, 0, false, None},
		{crawl.Blocked, 0, false, None},
		{crawl.Declined, 0, false, None},
		{0, 0, false, None},
	} {
		o := &crawl.Outcome{Result: c.result, Status: c.status}
		if got := KindOf(o, c.challenged); got != c.want {
			t.Errorf("KindOf(%v %d, %v) = %d, want %d", c.result, c.status, c.challenged, got, c.want)
		}
	}
}
