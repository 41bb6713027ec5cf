package demo

import (
	"github.com/forage-net/forage/app/demo/markup"
)

func europeanSites() []siteSpec {
	return []siteSpec{
		{
			name: "stadtbibliothek.test", title: "Stadtbibliothek am Markt", lang: "de",
			sections: list("Neu im Regal", "Lesungen", "Hausarchiv"),
			subjects: list("Die Kinderbuchecke", "Der Zettelkatalog", "Landkarten", "Die Lesenacht", "Hörbücher",
				"Zeitungen auf Holz",
				"Fernleihe", "Die Gartenbank", "Handschriften", "Der Bücherbus", "Kochbücher", "Comics"),
			features: features(robotsExceptions, linkHoard),
		},
		{
			name: "kaffeeroesterei.test", title: "Rösterei Morgenrot", lang: "de",
			sections: list("Bohnen", "Geräte", "Gespräche"),
			subjects: list("Hochlandkaffee", "Die Trommelröstung", "Filter aus Stoff", "Mühlen", "Milchschaum",
				"Der erste Crack",
				"Wasser", "Kaffeesatz", "Die Espressokanne", "Verkostung"),
			subdomains: true, features: features(blog),
		},
		{
			name: "recetas.test", title: "Recetas de la abuela Inés", lang: "es",
			sections: list("Guisos", "Dulces", "Cuaderno"),
			subjects: list("Lentejas con calabaza", "Pan de maíz", "Arroz caldoso", "Buñuelos", "Sopa de ajo",
				"Membrillo", "Empanada de atún",
				"Gazpacho", "Rosquillas", "Potaje de garbanzos"),
			charset: markup.Windows1252, features: features(robotsBOM), paths: pathSlashes,
		},
		{
			name: "librairie-du-port.test", title: "La Librairie du Port", lang: "fr",
			sections: list("Romans", "Voyages", "Rencontres"),
			subjects: list("Le rayon des îles", "Les carnets de bord", "Poésie de comptoir", "Un atlas",
				"La vitrine d’hiver", "Livres d’occasion",
				"La nuit de la lecture", "Les cartes postales", "Un roman russe", "Le coin des enfants"),
			skin: markup.Old, charset: markup.UTF8Meta,
		},
		{
			name: "wanderverein.test", title: "Wanderverein Sieben Hügel", lang: "de",
			sections: list("Touren", "Hütten", "Protokolle"),
			subjects: list("Der Höhenweg", "Die Quellenrunde", "Hüttenabend", "Trockenmauern", "Die Schlucht",
				"Wegzeichen", "Der Aussichtsturm",
				"Moor und Bohlen", "Die Herbstwanderung", "Blasen und Pflaster"),
			paths: pathSlashes,
		},
		{
			name: "modelleisenbahn.test", title: "Modellbahn im Keller", lang: "de",
			sections: list("Anlage", "Werkstatt", "Fahrplan"),
			subjects: list("Der Schattenbahnhof", "Bäume aus Draht", "Die Drehscheibe", "Weichen",
				"Ein Viadukt aus Gips", "Nebenbahnen",
				"Lötkolben", "Beleuchtung", "Die Spur der Kindheit", "Fahrdienst"),
			charset: markup.Latin1Meta,
		},
		{
			name: "potager.test", title: "Le potager partagé", lang: "fr",
			sections: list("Semis", "Récoltes", "Cabane à outils"),
			subjects: list("Les tomates anciennes", "Le compost", "Haricots grimpants", "La grelinette", "Courges",
				"Fraisiers", "La mare",
				"Les limaces", "Paillage", "Le pommier du fond"),
		},
		{
			name: "cine-club.test", title: "Ciné-club de la gare", lang: "fr",
			sections: list("Films", "Projections", "Débats"),
			subjects: list("Le muet au piano", "La cabine", "Courts métrages", "Un western", "Le dernier rang",
				"Films de famille",
				"La bande-annonce", "Le noir et blanc", "Dessins animés", "La bobine perdue"),
			paths: pathQuery, skin: markup.Plain,
		},
		{
			name: "faros.test", title: "Guía de faros", lang: "es", sections: list("Norte", "Sur", "Islas"),
			subjects: list("El faro del cabo", "La linterna", "Los torreros", "La niebla", "Escaleras de caracol",
				"Un naufragio",
				"La isla deshabitada", "Señales de radio", "El último relevo", "Cartas náuticas"),
			paths: pathUnicode,
		},
		{
			name: "guitarra.test", title: "Taller de guitarras", lang: "es",
			sections: list("Maderas", "Cuerdas", "Encargos"),
			subjects: list("La tapa de cedro", "El mástil", "Barnices", "Cuerdas de tripa", "La roseta",
				"Una guitarra de viaje",
				"El puente", "Clavijas", "El diapasón", "Reparaciones"),
		},
		{
			name: "azulejos.test", title: "Caderno de azulejos", lang: "pt",
			sections: list("Ruas", "Oficinas", "Restauro"),
			subjects: list("O azul-cobalto", "A fachada da estação", "Padrões de estrela", "O forno",
				"Um painel partido", "Cantarias",
				"A escada do convento", "Vidrados", "Moldes antigos", "Figuras de convite"),
			charset: markup.Windows1252,
		},
		{
			name: "fado.test", title: "Casa do Fado Velho", lang: "pt",
			sections: list("Noites", "Guitarras", "Memórias"),
			subjects: list("A guitarra portuguesa", "Silêncio na sala", "Letras esquecidas", "O xaile",
				"Desgarrada", "Um disco riscado",
				"A primeira noite", "Afinação", "A rua das escadinhas", "Retratos"),
			paths: pathSlashes,
		},
		{
			name: "gelateria.test", title: "Gelateria della Piazza", lang: "it",
			sections: list("Gusti", "Laboratorio", "Stagioni"),
			subjects: list("Il limone", "Pistacchio", "La crema", "Granita di gelsi", "Nocciola", "Il cono",
				"Fior di latte", "Sorbetto al melone",
				"La macchina vecchia", "Cioccolato fondente"),
		},
		{
			name: "liuteria.test", title: "Bottega di liuteria", lang: "it",
			sections: list("Violini", "Vernici", "Lettere"),
			subjects: list("L’abete rosso", "Il riccio", "Colla calda", "Una viola da gamba", "L’anima", "Sgorbie",
				"Il ponticello",
				"Crini", "Un violino del nonno", "La vernice ambrata"),
			skin: markup.Old,
		},
		{
			name: "fietsroutes.test", title: "Fietsroutes langs het water", lang: "nl",
			sections: list("Routes", "Pontjes", "Pauze"),
			subjects: list("De dijk", "Knooppunten", "Het pontje", "Wind tegen", "Appeltaart onderweg", "De molen",
				"Het jaagpad", "De brug",
				"Lekke band", "De polder"),
			paths: pathSlashes,
		},
		{
			name: "skargard.test", title: "Skärgårdens dagbok", lang: "sv", sections: list("Öar", "Båtar", "Bastu"),
			subjects: list("Yttersta skäret", "Ejdrar", "Roddbåten", "Strömming", "Sjömärken", "Bryggan",
				"Isen bär", "Vindskydd",
				"En sommarstuga", "Fyrvaktaren"),
		},
		{
			name: "grzyby.test", title: "Leśny notatnik", lang: "pl", sections: list("Grzyby", "Szlaki", "Kuchnia"),
			subjects: list("Borowik", "Kurki", "Maślaki", "Poranek w lesie", "Suszone grzyby", "Rydze",
				"Koszyk z wikliny", "Zupa grzybowa",
				"Mgła", "Stary dąb"),
			charset: markup.Windows1250,
		},
	}
}
