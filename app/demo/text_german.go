package demo

func german() *language {
	return &language{
		tag: "de", joint: ": ", gap: " ",
		qualifiers: []string{
			"der dritte Tag", "ganz von vorn", "was wir gelernt haben", "ein zweiter Versuch", "kurz gefasst", "Fragen aus der Post",
			"Schritt für Schritt", "im Winter", "mit Bildern", "zehn Jahre danach", "von Hand", "ein Brief aus der Nachbarschaft",
			"für Neugierige", "noch einmal besucht",
		},
		sentences: []string{
			"Über „{s}“ führen wir seit {y} Buch, und die späteren Seiten widersprechen den früheren.",
			"Wer einen Abend mit „{s}“ verbracht hat, weiß, wie schnell die Stunden vergehen.",
			"Im Jahr {y} waren wir zu {n}, und keiner konnte sagen, wie es ausgeht.",
			"Langsam anzufangen ist ein alter Rat und noch immer der beste.",
			"Am Ende der Woche zählten wir {n}, zwei mehr als im Jahr davor.",
			"Eine Leserin schreibt, {n} Minuten genügten; wir haben stets das Doppelte gebraucht.",
			"Was andernorts über „{s}“ steht, stimmt meist, vollständig ist es selten.",
			"Das Wetter entscheidet mehr als das Geschick, auch wenn es niemand gern hört.",
			"Wer nur einen freien Nachmittag hat, soll ihn auf „{s}“ verwenden.",
			"Die Zeichnungen von {y} liegen im Hinterzimmer und werden auf Wunsch gezeigt.",
			"Es brauchte {n} Anläufe, bis sich das Ergebnis sehen lassen konnte.",
			"Fragt man drei Leute nach „{s}“, geht man mit vier Meinungen nach Hause.",
			"Ein Geheimnis ist nicht dabei, nur Geduld und eine gute Lampe.",
			"Die Liste am Ende nennt {n} Orte, an denen man es selbst ansehen kann.",
			"Schreiben Sie uns, wenn Sie es besser wissen; die Hälfte dieser Seite begann als Brief.",
		},
		words: words{
			home: "Startseite", about: "Über uns", contact: "Kontakt", contents: "Alle Seiten", next: "Weiter", previous: "Zurück",
			related: "Siehe auch", elsewhere: "Anderswo", print: "Druckansicht", page: "Seite", missing: "Hier ist nichts",
			year: "Jahr", count: "Anzahl", remark: "Anmerkung",
		},
	}
}

func polish() *language {
	return &language{
		tag: "pl", joint: ": ", gap: " ",
		qualifiers: []string{
			"dzień trzeci", "od początku", "czego się nauczyliśmy", "druga próba", "w skrócie", "pytania czytelników",
			"krok po kroku", "zimą", "ze zdjęciami", "dziesięć lat później",
		},
		sentences: []string{
			"Na temat „{s}” prowadzimy zeszyt od roku {y} i wciąż są w nim puste kartki.",
			"W roku {y} było nas {n} i nikt nie wiedział, czym to się skończy.",
			"Kto raz zobaczył „{s}”, ten zwykle wraca.",
			"Pogoda znaczy więcej niż wprawa, choć nikt nie chce tego słuchać.",
			"Potrzeba było {n} prób, zanim dało się to komuś pokazać.",
			"Zapytaj trzy osoby o hasło „{s}”, a usłyszysz cztery odpowiedzi.",
			"Rysunki z roku {y} leżą w szufladzie przy oknie.",
			"Nie ma tu żadnej tajemnicy, tylko cierpliwość i dobry koszyk.",
			"Na końcu wymieniamy {n} miejsc, w których można to zobaczyć.",
			"Kto wie lepiej, niech napisze: połowa tej strony zaczęła się od listu.",
		},
		words: words{
			home: "Początek", about: "O nas", contact: "Kontakt", contents: "Wszystkie strony", next: "Dalej", previous: "Wstecz",
			related: "Zobacz też", elsewhere: "Gdzie indziej", print: "Wersja do druku", page: "Strona", missing: "Tu nic nie ma",
			year: "Rok", count: "Liczba", remark: "Uwagi",
		},
	}
}

func turkish() *language {
	return &language{
		tag: "tr", joint: ": ", gap: " ",
		qualifiers: []string{
			"üçüncü gün", "en baştan", "öğrendiklerimiz", "ikinci deneme", "kısaca", "okur soruları", "adım adım", "kışın",
			"fotoğraflarla", "on yıl sonra",
		},
		sentences: []string{
			"“{s}” için {y} yılından beri defter tutuyoruz, hâlâ boş sayfa var.",
			"{y} yılında {n} kişiydik ve kimse sonunu bilmiyordu.",
			"“{s}” ile geçen bir akşam çabuk biter.",
			"Hava, ustalıktan daha çok şeye karar verir; kimse duymak istemez.",
			"Göstermeye değer olana kadar {n} kez denedik.",
			"Üç kişiye “{s}” diye sorun, dört cevap alırsınız.",
			"{y} yılının çizimleri arka odada duruyor.",
			"Sırrı yok: sabır, bir de kısık ateş.",
			"Aşağıda görebileceğiniz {n} yer yazılı.",
			"Daha iyisini biliyorsanız bize yazın; bu sayfanın yarısı mektuplardan doğdu.",
		},
		words: words{
			home: "Ana sayfa", about: "Hakkımızda", contact: "İletişim", contents: "Bütün sayfalar", next: "Sonraki", previous: "Önceki",
			related: "Ayrıca bakınız", elsewhere: "Başka yerde", print: "Yazdır", page: "Sayfa", missing: "Burada bir şey yok",
			year: "Yıl", count: "Sayı", remark: "Not",
		},
	}
}
