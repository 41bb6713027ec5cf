package crawl

// Version is the version of this program, as shown to users and webmasters.
const Version = "0.1.0"

// Token is our product token in robots.txt (RFC 9309 §2.2.1).
const Token = "forage"

// WebmasterPage explains to webmasters who visits and how to turn us away.
const WebmasterPage = "https://github.com/forage-net/forage/blob/main/docs/webmasters.md"

// PrivacyPage says what is stored about whom, and what to do about it.
const PrivacyPage = "https://github.com/forage-net/forage/blob/main/docs/privacy.md"

// UserAgent returns what we call ourselves in requests.
func UserAgent(lab bool) string {
	if lab {
		return Token + "/" + Version + " (closed test network; +" + WebmasterPage + ")"
	}
	return Token + "/" + Version + " (+" + WebmasterPage + ")"
}
