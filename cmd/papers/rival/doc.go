// Package rival has the strategies that the papers use or compare with, and Forage does not: which crawler gets a
// site, by chance or by probes (HiMicra, IPMicra), how URLs are parted among nodes (Loo), how an agent asks others
// for pages after a fault (UbiCrawler), and how rates are kept by asking all (Loo's aggregation query). It is for
// experiments alone.
//
// Everything here is pure: what it follows from is given to it.
package rival
