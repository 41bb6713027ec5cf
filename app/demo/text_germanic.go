package demo

func english() *language {
	return &language{
		tag: "en", joint: ", ", gap: " ",
		qualifiers: []string{
			"third day", "from the beginning", "what we learned", "a second attempt", "the short version",
			"questions from readers", "step by step", "in winter", "with photographs", "notes from a rainy week",
			"ten years on", "by hand", "revisited", "for the curious", "a letter from a friend",
		},
		sentences: []string{
			"{s}: we have kept notes on it since {y}, and the later pages contradict the earlier ones.",
			"Anyone who has given an evening to “{s}” knows how quickly the hours go.",
			"In {y} there were {n} of us, and not one could say how it would turn out.",
			"The advice to begin slowly is older than “{s}” and still correct.",
			"We counted {n} by the end of the week, two more than the year before.",
			"A reader writes that {n} minutes are enough; we have never managed in fewer than twice that.",
			"What is written about “{s}” elsewhere is often right, but seldom complete.",
			"Weather decides more than skill does, and nobody likes to hear it.",
			"If you have only one free afternoon, spend it on “{s}”.",
			"The drawings from {y} are kept in the back room and may be seen on request.",
			"It took {n} attempts before the result was worth showing to anyone.",
			"Ask three people about “{s}” and you will leave with four opinions.",
			"Our oldest member remembers how it was done before {y}, and does it that way still.",
			"There is no secret in it, only patience and a good lamp.",
			"Compare the entry for {y}: the same question, asked by someone else, with a different answer.",
			"The list below names {n} places where you can see it for yourself.",
			"We were wrong about “{s}” for a long time, and this page says how we found out.",
			"Write to us if you know better; half of what stands here began as a letter.",
		},
		words: words{
			home: "Home", about: "About us", contact: "Contact", contents: "All pages", next: "Next", previous: "Previous",
			related: "Related", elsewhere: "Elsewhere", print: "Print version", page: "Page", missing: "There is nothing here",
			year: "Year", count: "Number", remark: "Remark",
		},
	}
}

func dutch() *language {
	return &language{
		tag: "nl", joint: ", ", gap: " ",
		qualifiers: []string{
			"de derde dag", "van het begin af", "wat wij leerden", "een tweede poging", "kort verteld", "vragen van lezers",
			"stap voor stap", "in de winter", "met foto’s", "tien jaar later",
		},
		sentences: []string{
			"Over “{s}” houden wij sinds {y} een schrift bij, en het is nog lang niet vol.",
			"In {y} waren wij met {n}, en niemand wist hoe het zou aflopen.",
			"Wie “{s}” één keer heeft gezien, komt bijna altijd terug.",
			"Tegenwind hoort erbij, zegt iedereen die binnen zit.",
			"Na {n} pogingen was het resultaat eindelijk goed genoeg om te laten zien.",
			"Wat elders over “{s}” staat klopt meestal, maar is zelden volledig.",
			"De tekeningen uit {y} hangen in de gang, naast de kapstok.",
			"Neem brood mee, en een pomp, en iemand die de weg vraagt.",
			"Onderaan staan {n} plaatsen waar u het zelf kunt bekijken.",
			"Weet u het beter, schrijf ons dan: de helft van deze pagina begon als brief.",
		},
		words: words{
			home: "Begin", about: "Over ons", contact: "Contact", contents: "Alle pagina’s", next: "Volgende", previous: "Vorige",
			related: "Zie ook", elsewhere: "Elders", print: "Afdrukken", page: "Pagina", missing: "Hier is niets",
			year: "Jaar", count: "Aantal", remark: "Opmerking",
		},
	}
}

func swedish() *language {
	return &language{
		tag: "sv", joint: ", ", gap: " ",
		qualifiers: []string{
			"tredje dagen", "från början", "vad vi lärde oss", "ett andra försök", "den korta versionen", "frågor från läsare",
			"steg för steg", "på vintern", "med fotografier", "tio år senare",
		},
		sentences: []string{
			"Om ”{s}” har vi skrivit dagbok sedan {y}, och ännu finns det tomma blad.",
			"År {y} var vi {n} i båten, och ingen visste hur det skulle gå.",
			"Den som en gång har sett ”{s}” vill gärna tillbaka.",
			"Vädret bestämmer mer än skickligheten, fast ingen vill höra det.",
			"Det behövdes {n} försök innan vi vågade visa det för någon.",
			"Fråga tre personer om ”{s}” så får du fyra svar.",
			"Ritningarna från {y} ligger i bodens översta låda.",
			"Det finns ingen hemlighet, bara tålamod och en bra lampa.",
			"Längst ner står {n} platser där man kan se det själv.",
			"Skriv till oss om du vet bättre; hälften av sidan började som ett brev.",
		},
		words: words{
			home: "Hem", about: "Om oss", contact: "Kontakt", contents: "Alla sidor", next: "Nästa", previous: "Föregående",
			related: "Se även", elsewhere: "På annat håll", print: "Skriv ut", page: "Sida", missing: "Här finns ingenting",
			year: "År", count: "Antal", remark: "Anmärkning",
		},
	}
}

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
