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
