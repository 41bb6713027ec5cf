package wire

// Dictionary returns what messages often hold, for their compression: small
// ones have little in common with themselves. It is part of the protocol.
func Dictionary() []byte {
	return []byte("https://www.http://www.en.wikipedia.org/wiki/index.html/index.php?id=.html.php" +
		"/blog/news/docs/about/contact/privacy" +
		"/category/tag/page/article/product/search?q=&page=/feed/rss.xml/sitemap.xml/2026/2025/2024/en/de/fr/es/" +
		".com/.org/.net/.de/.co.uk/https://\"W/\"gzip\"")
}
