package language

func english() *Language {
	return &Language{
		Tag: "en", joint: ", ", Gap: " ",
		qualifiers: []string{
			"third day", "from the beginning", "what we learned", "a second attempt", "the short version",
			"questions from readers", "step by step", "in winter", "with photographs", "notes from a rainy week",
			"ten years on", "by hand", "revisited", "for the curious", "a letter from a friend",
		},
		Sentences: []string{
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
		Words: Words{
			Home: "Home", About: "About us", Contact: "Contact", Contents: "All pages", Next: "Next",
			Previous: "Previous",
			Related:  "Related", Elsewhere: "Elsewhere", Print: "Print version", Page: "Page",
			Missing: "There is nothing here",
			Year:    "Year", Count: "Number", Remark: "Remark",
		},
	}
}

func dutch() *Language {
	return &Language{
		Tag: "nl", joint: ", ", Gap: " ",
		qualifiers: []string{
			"de derde dag", "van het begin af", "wat wij leerden", "een tweede poging", "kort verteld",
			"vragen van lezers",
			"stap voor stap", "in de winter", "met foto’s", "tien jaar later",
		},
		Sentences: []string{
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
		Words: Words{
			Home: "Begin", About: "Over ons", Contact: "Contact", Contents: "Alle pagina’s", Next: "Volgende",
			Previous: "Vorige",
			Related:  "Zie ook", Elsewhere: "Elders", Print: "Afdrukken", Page: "Pagina", Missing: "Hier is niets",
			Year: "Jaar", Count: "Aantal", Remark: "Opmerking",
		},
	}
}

func swedish() *Language {
	return &Language{
		Tag: "sv", joint: ", ", Gap: " ",
		qualifiers: []string{
			"tredje dagen", "från början", "vad vi lärde oss", "ett andra försök", "den korta versionen",
			"frågor från läsare",
			"steg för steg", "på vintern", "med fotografier", "tio år senare",
		},
		Sentences: []string{
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
		Words: Words{
			Home: "Hem", About: "Om oss", Contact: "Kontakt", Contents: "Alla sidor", Next: "Nästa",
			Previous: "Föregående",
			Related:  "Se även", Elsewhere: "På annat håll", Print: "Skriv ut", Page: "Sida",
			Missing: "Här finns ingenting",
			Year:    "År", Count: "Antal", Remark: "Anmärkning",
		},
	}
}

func german() *Language {
	return &Language{
		Tag: "de", joint: ": ", Gap: " ",
		qualifiers: []string{
			"der dritte Tag", "ganz von vorn", "was wir gelernt haben", "ein zweiter Versuch", "kurz gefasst",
			"Fragen aus der Post",
			"Schritt für Schritt", "im Winter", "mit Bildern", "zehn Jahre danach", "von Hand",
			"ein Brief aus der Nachbarschaft",
			"für Neugierige", "noch einmal besucht",
		},
		Sentences: []string{
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
		Words: Words{
			Home: "Startseite", About: "Über uns", Contact: "Kontakt", Contents: "Alle Seiten", Next: "Weiter",
			Previous: "Zurück",
			Related:  "Siehe auch", Elsewhere: "Anderswo", Print: "Druckansicht", Page: "Seite",
			Missing: "Hier ist nichts",
			Year:    "Jahr", Count: "Anzahl", Remark: "Anmerkung",
		},
	}
}

func polish() *Language {
	return &Language{
		Tag: "pl", joint: ": ", Gap: " ",
		qualifiers: []string{
			"dzień trzeci", "od początku", "czego się nauczyliśmy", "druga próba", "w skrócie", "pytania czytelników",
			"krok po kroku", "zimą", "ze zdjęciami", "dziesięć lat później",
		},
		Sentences: []string{
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
		Words: Words{
			Home: "Początek", About: "O nas", Contact: "Kontakt", Contents: "Wszystkie strony", Next: "Dalej",
			Previous: "Wstecz",
			Related:  "Zobacz też", Elsewhere: "Gdzie indziej", Print: "Wersja do druku", Page: "Strona",
			Missing: "Tu nic nie ma",
			Year:    "Rok", Count: "Liczba", Remark: "Uwagi",
		},
	}
}

func turkish() *Language {
	return &Language{
		Tag: "tr", joint: ": ", Gap: " ",
		qualifiers: []string{
			"üçüncü gün", "en baştan", "öğrendiklerimiz", "ikinci deneme", "kısaca", "okur soruları", "adım adım",
			"kışın",
			"fotoğraflarla", "on yıl sonra",
		},
		Sentences: []string{
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
		Words: Words{
			Home: "Ana sayfa", About: "Hakkımızda", Contact: "İletişim", Contents: "Bütün sayfalar",
			Next: "Sonraki", Previous: "Önceki",
			Related: "Ayrıca bakınız", Elsewhere: "Başka yerde", Print: "Yazdır", Page: "Sayfa",
			Missing: "Burada bir şey yok",
			Year:    "Yıl", Count: "Sayı", Remark: "Not",
		},
	}
}
