package language

func french() *Language {
	return &Language{
		Tag: "fr", joint: " : ", Gap: " ",
		qualifiers: []string{
			"le troisième jour", "depuis le début", "ce que nous avons appris", "deuxième essai", "en bref",
			"le courrier des lecteurs",
			"pas à pas", "en hiver", "avec photographies", "dix ans après", "à la main", "pour les curieux",
		},
		Sentences: []string{
			"Sur « {s} », nous tenons un carnet depuis {y}, et la fin y contredit le début.",
			"Qui a passé une soirée avec « {s} » sait combien les heures filent.",
			"En {y}, nous étions {n}, et personne ne savait comment cela finirait.",
			"Commencer lentement est un vieux conseil, et toujours le bon.",
			"À la fin de la semaine nous en avions compté {n}, deux de plus que l’année précédente.",
			"Une lectrice assure que {n} minutes suffisent ; il nous en a toujours fallu le double.",
			"Ce qu’on lit ailleurs sur « {s} » est souvent juste, rarement complet.",
			"Le temps qu’il fait décide de plus de choses que l’adresse.",
			"Les dessins de {y} sont dans l’arrière-boutique ; il suffit de demander.",
			"Il a fallu {n} essais avant d’oser montrer le résultat.",
			"Interrogez trois personnes sur « {s} » : vous repartirez avec quatre avis.",
			"Il n’y a pas de secret, seulement de la patience et une bonne lampe.",
			"Écrivez-nous si vous savez mieux ; la moitié de cette page est née d’une lettre.",
		},
		Words: Words{
			Home: "Accueil", About: "Qui sommes-nous", Contact: "Nous écrire", Contents: "Toutes les pages",
			Next:     "Suivant",
			Previous: "Précédent", Related: "Voir aussi", Elsewhere: "Ailleurs", Print: "Version imprimable",
			Page:    "Page",
			Missing: "Il n’y a rien ici", Year: "Année", Count: "Nombre", Remark: "Remarque",
		},
	}
}

func spanish() *Language {
	return &Language{
		Tag: "es", joint: ": ", Gap: " ",
		qualifiers: []string{
			"el tercer día", "desde el principio", "lo que aprendimos", "segundo intento", "en pocas palabras",
			"preguntas de lectores",
			"paso a paso", "en invierno", "con fotografías", "diez años después", "a mano", "para curiosos",
		},
		Sentences: []string{
			"Sobre «{s}» llevamos un cuaderno desde {y}, y el final contradice al comienzo.",
			"Quien ha pasado una tarde con «{s}» sabe lo pronto que se va la luz.",
			"En {y} éramos {n}, y nadie sabía cómo iba a terminar.",
			"Empezar despacio es un consejo viejo y sigue siendo el mejor.",
			"Al final de la semana contamos {n}, dos más que el año anterior.",
			"Una lectora dice que bastan {n} minutos; a nosotros siempre nos hace falta el doble.",
			"Lo que se lee por ahí sobre «{s}» suele ser cierto, pero rara vez completo.",
			"El tiempo decide más que la maña, aunque a nadie le guste oírlo.",
			"Los dibujos de {y} están en la trastienda; basta con preguntar.",
			"Hicieron falta {n} intentos antes de enseñárselo a nadie.",
			"Pregunte a tres vecinos por «{s}» y volverá con cuatro opiniones.",
			"No hay ningún secreto: paciencia y una buena lámpara.",
			"Si usted sabe más, escríbanos; la mitad de esta página nació de una carta.",
		},
		Words: Words{
			Home: "Inicio", About: "Quiénes somos", Contact: "Contacto", Contents: "Todas las páginas",
			Next:     "Siguiente",
			Previous: "Anterior", Related: "Véase también", Elsewhere: "En otros sitios", Print: "Para imprimir",
			Page:    "Página",
			Missing: "Aquí no hay nada", Year: "Año", Count: "Número", Remark: "Nota",
		},
	}
}

func portuguese() *Language {
	return &Language{
		Tag: "pt", joint: ": ", Gap: " ",
		qualifiers: []string{
			"o terceiro dia", "desde o início", "o que aprendemos", "segunda tentativa", "em poucas palavras",
			"perguntas de leitores",
			"passo a passo", "no inverno", "com fotografias", "dez anos depois", "à mão",
		},
		Sentences: []string{
			"Sobre «{s}» temos um caderno desde {y}, e ainda há folhas em branco.",
			"Quem passou uma noite com «{s}» sabe como as horas fogem.",
			"Em {y} éramos {n}, e ninguém sabia como ia acabar.",
			"Começar devagar é um conselho antigo e continua a ser o melhor.",
			"No fim da semana contámos {n}, mais dois do que no ano anterior.",
			"O que se lê sobre «{s}» costuma estar certo, mas raramente completo.",
			"O vento decide mais do que o jeito, embora ninguém goste de o ouvir.",
			"Os desenhos de {y} estão na sala dos fundos; basta pedir.",
			"Foram precisas {n} tentativas até o mostrar a alguém.",
			"Pergunte a três pessoas por «{s}» e ouvirá quatro respostas.",
			"Não há segredo nenhum, só paciência e boa luz.",
			"Se sabe mais do que nós, escreva; metade desta página começou numa carta.",
		},
		Words: Words{
			Home: "Início", About: "Sobre nós", Contact: "Contacto", Contents: "Todas as páginas", Next: "Seguinte",
			Previous: "Anterior",
			Related:  "Ver também", Elsewhere: "Noutros sítios", Print: "Imprimir", Page: "Página",
			Missing: "Aqui não há nada",
			Year:    "Ano", Count: "Número", Remark: "Nota",
		},
	}
}

func italian() *Language {
	return &Language{
		Tag: "it", joint: ": ", Gap: " ",
		qualifiers: []string{
			"il terzo giorno", "dall’inizio", "che cosa abbiamo imparato", "secondo tentativo", "in breve",
			"domande dei lettori",
			"passo per passo", "d’inverno", "con fotografie", "dieci anni dopo", "a mano",
		},
		Sentences: []string{
			"Su «{s}» teniamo un quaderno dal {y}, e la fine contraddice l’inizio.",
			"Chi ha passato una sera con «{s}» sa come volano le ore.",
			"Nel {y} eravamo in {n}, e nessuno sapeva come sarebbe finita.",
			"Cominciare piano è un consiglio vecchio, e resta il migliore.",
			"Alla fine della settimana ne abbiamo contati {n}, due più dell’anno prima.",
			"Quello che si legge su «{s}» è spesso giusto, di rado completo.",
			"Il tempo decide più della bravura, anche se a nessuno piace sentirlo.",
			"I disegni del {y} sono nel retrobottega: basta chiedere.",
			"Ci sono voluti {n} tentativi prima di mostrarlo a qualcuno.",
			"Chiedete a tre persone di «{s}» e tornerete con quattro pareri.",
			"Non c’è nessun segreto, solo pazienza e una buona lampada.",
			"Se ne sapete di più, scriveteci: metà di questa pagina è nata da una lettera.",
		},
		Words: Words{
			Home: "Inizio", About: "Chi siamo", Contact: "Contatti", Contents: "Tutte le pagine", Next: "Avanti",
			Previous: "Indietro",
			Related:  "Vedi anche", Elsewhere: "Altrove", Print: "Stampa", Page: "Pagina", Missing: "Qui non c’è nulla",
			Year: "Anno", Count: "Numero", Remark: "Nota",
		},
	}
}
