package limits

// text is a sentence for each level that a reason may allow, as fill reads them. Those
// that a reason cannot allow are empty.
type text struct {
	off, gentle, full string
}

// of returns the sentence for a level, or another if there is none.
func (t text) of(l Level) string {
	switch {
	case l >= Full && t.full != "":
		return t.full
	case l >= Gentle && t.gentle != "", t.off == "" && t.gentle != "":
		return t.gentle
	case t.off != "":
		return t.off
	}
	return t.full
}

// only is a sentence for all levels.
func only(s string) text { return text{s, s, s} }

// unknownEnglish and unknownGerman tell of a sensor that does not answer.
func unknownEnglish(whether string) text {
	begin := "[Since {since} it has not been known|It is not known] whether " + whether + "; that counts as use of the computer, "
	return text{
		off:    begin + "and forage does not work until it is known.",
		gentle: begin + "and forage works gently until it is known.",
		full:   begin + "during which you let forage work.",
	}
}

func unknownGerman(whether string) text {
	begin := "[Seit {since} ist nicht bekannt|Es ist nicht bekannt], ob " + whether + "; das zählt als Benutzung des Computers, "
	return text{
		off:    begin + "und forage arbeitet nicht, bis es bekannt ist.",
		gentle: begin + "und forage arbeitet sanft, bis es bekannt ist.",
		full:   begin + "während der Sie forage arbeiten lassen.",
	}
}

// faults say what versions may do that are asked to pause, by recall.Fault.
var faults = [langs][]string{
	English: {"have a fault that may harm sites", "may ask sites too often", "may ignore what sites forbid", "may fetch pages they should not"},
	German: {
		"haben einen Fehler, der Websites schaden kann", "fragen Websites womöglich zu oft an", "beachten womöglich nicht, was Websites verbieten",
		"rufen womöglich Seiten ab, die sie nicht abrufen sollen",
	},
}

// faultText returns one of them; the first stands for those that this version does not know.
func faultText(fault int64, l Lang) string {
	list := faults[l]
	if fault < 0 || fault >= int64(len(list)) {
		fault = 0
	}
	return list[fault]
}

// texts are all sentences about reasons, in all languages.
var texts = [kinds][langs]text{
	NoConsent: {
		English: {off: "Nobody has agreed yet that forage may work here; until then it sends nothing."},
		German:  {off: "Noch hat niemand zugestimmt, dass forage hier arbeiten darf; bis dahin sendet es nichts."},
	},
	Recalled: {
		English: {
			off:  "Resting because the makers of Forage ask for it[ until {until}]: [versions before {name}|such versions] {fault}. Update Forage, or allow it to go on in the settings.",
			full: "The makers of Forage ask for a rest[ until {until}]: [versions before {name}|such versions] {fault}. You allowed it to go on.",
		},
		German: {
			off:  "Ruht, weil die Entwickler von Forage darum bitten[, bis {until}]: [Versionen vor {name}|solche Versionen] {fault}. Aktualisieren Sie Forage, oder erlauben Sie die Arbeit in den Einstellungen.",
			full: "Die Entwickler von Forage bitten um Ruhe[ bis {until}]: [Versionen vor {name}|solche Versionen] {fault}. Sie haben die Arbeit erlaubt.",
		},
	},
	PausedByUser: {
		English: {off: "You have paused forage [until {until}|until you resume it][; it has been resting since {since}]."},
		German:  {off: "Sie haben forage [bis {until} angehalten|angehalten, bis Sie es fortsetzen][; es ruht seit {since}]."},
	},
	Finishing: {
		English: {off: "[Since {since} forage has been finishing|Forage is finishing] what it began, as you asked; then it ends, unless you resume it before."},
		German:  {off: "Auf Ihren Wunsch bringt forage[ seit {since}] zu Ende, was es begonnen hat; dann beendet es sich, wenn Sie es nicht vorher fortsetzen."},
	},
	TimedWork: {
		English: {
			off:    "You asked forage to work although you are here, but you have set its level to off whether you are here or not; that request lasts [until {until}|until you take it back].",
			gentle: "You asked forage to work although you are here; it works gently [until {until}|until you take that back][, and has done so since {since}].",
			full:   "You asked forage to work although you are here; it does so [until {until}|until you take that back][, and has done so since {since}].",
		},
		German: {
			off:    "Sie haben forage gebeten zu arbeiten, obwohl Sie da sind, aber Sie haben für beide Fälle festgelegt, dass es nicht arbeitet; die Bitte gilt[ bis {until}|, bis Sie sie zurücknehmen].",
			gentle: "Sie haben forage gebeten zu arbeiten, obwohl Sie da sind; es arbeitet[ seit {since}] sanft[ bis {until}|, bis Sie das zurücknehmen].",
			full:   "Sie haben forage gebeten zu arbeiten, obwohl Sie da sind; das tut es[ seit {since}][ bis {until}|, bis Sie es zurücknehmen].",
		},
	},
	OutsideHours: {
		English: {
			off:    "[Since {since} it has been|It is] outside the hours you set for work; forage rests [until {until}|until you change them].",
			gentle: "[Since {since} it has been|It is] within the hours you set for gentle work; forage works gently [until {until}|until you change them].",
		},
		German: {
			off:    "Außerhalb der Stunden, die Sie für die Arbeit festgelegt haben, ruht forage[ seit {since}][ bis {until}|, bis Sie sie ändern].",
			gentle: "In den Stunden, die Sie für sanfte Arbeit festgelegt haben, arbeitet forage[ seit {since}] sanft[ bis {until}|, bis Sie sie ändern].",
		},
	},
	OutsideNetworkHours: {
		English: {
			off:    "[Since {since} it has been|It is] outside the hours you set for the network; forage sends nothing [until {until}|until you change them].",
			gentle: "[Since {since} it has been|It is] within the hours you set for gentle use of the network; forage works gently [until {until}|until you change them].",
		},
		German: {
			off:    "Außerhalb der Stunden, die Sie für das Netz festgelegt haben, sendet forage[ seit {since}] nichts[ bis {until}|, bis Sie sie ändern].",
			gentle: "In den Stunden, die Sie für sanfte Nutzung des Netzes festgelegt haben, arbeitet forage[ seit {since}] sanft[ bis {until}|, bis Sie sie ändern].",
		},
	},
	UserPresent: {
		English: {
			off:    "[You have been using the computer since {since}|You are using the computer]; work goes on {after} after you stop.",
			gentle: "[You have been using the computer since {since}|You are using the computer]; forage works gently until {after} after you stop.",
		},
		German: {
			off:    "Sie benutzen den Computer[ seit {since}]; die Arbeit geht {after} nach Ihrer letzten Eingabe weiter.",
			gentle: "Sie benutzen den Computer[ seit {since}]; forage arbeitet sanft, bis Ihre letzte Eingabe {after} her ist.",
		},
	},
	KeptAwake: {
		English: {
			off:    "[Since {since} a program has been keeping|A program keeps] the computer awake, as a film does, which counts as use; work [does not go on before {until}|goes on {after} after it ends|goes on when it ends].",
			gentle: "[Since {since} a program has been keeping|A program keeps] the computer awake, as a film does, which counts as use; forage works gently until [{until}|{after} after it ends|it ends].",
		},
		German: {
			off:    "[Seit {since} hält ein Programm|Ein Programm hält] den Computer wach, wie ein Film es tut, und das zählt als Benutzung; die Arbeit geht [nicht vor {until}|{after} nach seinem Ende|nach seinem Ende] weiter.",
			gentle: "[Seit {since} hält ein Programm|Ein Programm hält] den Computer wach, wie ein Film es tut, und das zählt als Benutzung; forage arbeitet sanft bis [{until}|{after} nach seinem Ende|zu seinem Ende].",
		},
	},
	AwayLimited: {
		English: {
			off:    "[Nobody has been using the computer since {since}|Nobody is using the computer], and you have set that forage does nothing then, until you change it.",
			gentle: "[Nobody has been using the computer since {since}|Nobody is using the computer], and you have set that forage works gently then, until you change it.",
		},
		German: {
			off:    "Niemand benutzt den Computer[ seit {since}], und Sie haben festgelegt, dass forage dann nichts tut, bis Sie es ändern.",
			gentle: "Niemand benutzt den Computer[ seit {since}], und Sie haben festgelegt, dass forage dann sanft arbeitet, bis Sie es ändern.",
		},
	},
	FullscreenApp: {
		English: {off: "[Since {since} a program has filled|A program fills] the whole screen; work [does not go on before {until}|goes on {after} after it leaves it]."},
		German:  {off: "[Seit {since} füllt ein Programm|Ein Programm füllt] den ganzen Bildschirm; die Arbeit geht [nicht vor {until}|{after} danach] weiter."},
	},
	ScreenIsShared: {
		English: {off: "[Since {since} your screen has been|Your screen is] shared or shows a presentation; work [does not go on before {until}|goes on {after} after that ends]."},
		German:  {off: "[Seit {since} wird Ihr Bildschirm|Ihr Bildschirm wird] geteilt oder zeigt eine Präsentation; die Arbeit geht [nicht vor {until}|{after} danach] weiter."},
	},
	AppRunning: {
		English: {off: "[{name} has been running since {since}|{name} is running|A program you named is running]; work [does not go on before {until}|goes on {after} after it ends]."},
		German:  {off: "[{name} läuft|Ein Programm, das Sie genannt haben, läuft][ seit {since}]; die Arbeit geht [nicht vor {until}|{after} nach dem Ende] weiter."},
	},
	OtherPrograms: {
		English: {off: "Other programs have been using more than {limit} % of the computer[ since {since}]; work [does not go on before {until}|goes on when they have used less for {after}|goes on when they use less]."},
		German:  {off: "Andere Programme brauchen[ seit {since}] mehr als {limit} % des Computers; die Arbeit geht weiter, [aber nicht vor {until}|wenn sie {after} lang weniger gebraucht haben|wenn sie weniger brauchen]."},
	},
	TooWarm: {
		English: {gentle: "The computer has been at {limit} °C or more[ since {since}]; forage works gently until [{until}|it has been cooler for {after}]."},
		German:  {gentle: "Der Computer hat[ seit {since}] {limit} °C oder mehr; forage arbeitet sanft, bis [es {until} ist|er {after} lang kühler war]."},
	},
	TooHot: {
		English: {off: "The computer has been at {limit} °C or more[ since {since}]; work [does not go on before {until}|goes on when it has been cooler for {after}]."},
		German:  {off: "Der Computer hat[ seit {since}] {limit} °C oder mehr; die Arbeit geht weiter, [aber nicht vor {until}|wenn er {after} lang kühler war]."},
	},
	FanIsLoud: {
		English: {gentle: "The fan has been loud[ since {since}]; forage works gently until [{until}|it has been quiet for {after}]."},
		German:  {gentle: "Der Lüfter ist[ seit {since}] laut; forage arbeitet sanft, bis [es {until} ist|er {after} lang leise war]."},
	},
	BatteryPower: {
		English: {off: "[The computer has been running on battery since {since}|The computer is running on battery][, and below {limit} %]; work [does not go on before {until}|goes on {after} after that ends]."},
		German:  {off: "Der Computer läuft[ seit {since}] mit Akku[ und unter {limit} %]; die Arbeit geht [nicht vor {until}|{after} danach] weiter."},
	},
	MeteredNetwork: {
		English: {off: "[Since {since} the computer has been|The computer is] on a network that is paid for by use; forage sends nothing until it is on another."},
		German:  {off: "Der Computer ist[ seit {since}] in einem Netz, das nach Verbrauch bezahlt wird; forage sendet nichts, bis er in einem anderen ist."},
	},
	OtherWifi: {
		English: {off: "[Since {since} the computer has been|The computer is] on the wireless network {name}, which you have not allowed; forage sends nothing until it is on another."},
		German:  {off: "Der Computer ist[ seit {since}] im WLAN {name}, das Sie nicht erlaubt haben; forage sendet nichts, bis er in einem anderen ist."},
	},
	VPNIsOn: {
		English: {off: "A VPN has been on[ since {since}], which you do not lend; forage sends nothing until it is off."},
		German:  {off: "Ein VPN ist[ seit {since}] eingeschaltet, das Sie nicht herleihen; forage sendet nichts, bis es ausgeschaltet ist."},
	},
	VPNAsk: {
		English: {off: "A VPN has been on[ since {since}], and you have not said yet whether forage may use it; it sends nothing until you do or the VPN is off."},
		German:  {off: "Ein VPN ist[ seit {since}] eingeschaltet, und Sie haben noch nicht gesagt, ob forage es nutzen darf; es sendet nichts, bis Sie das tun oder das VPN ausgeschaltet ist."},
	},
	DayNearlyUsed: {
		English: {gentle: "[Since {since} nine tenths|Nine tenths] of today's {most} of data have been used; forage works gently until [{until}|the next day]."},
		German:  {gentle: "Neun Zehntel der {most} Daten für heute sind[ seit {since}] verbraucht; forage arbeitet bis [{until}|zum nächsten Tag] sanft."},
	},
	DayUsedUp: {
		English: {off: "[Since {since} today's {most} of data have been|Today's {most} of data are] used up; forage sends nothing until [{until}|the next day]."},
		German:  {off: "Die {most} Daten für heute sind[ seit {since}] verbraucht; forage sendet bis [{until}|zum nächsten Tag] nichts."},
	},
	MonthNearlyUsed: {
		English: {gentle: "[Since {since} nine tenths|Nine tenths] of this month's {most} of data have been used; forage works gently until [{until}|the next month]."},
		German:  {gentle: "Neun Zehntel der {most} Daten für diesen Monat sind[ seit {since}] verbraucht; forage arbeitet bis [{until}|zum nächsten Monat] sanft."},
	},
	MonthUsedUp: {
		English: {off: "[Since {since} this month's {most} of data have been|This month's {most} of data are] used up; forage sends nothing until [{until}|the next month]."},
		German:  {off: "Die {most} Daten für diesen Monat sind[ seit {since}] verbraucht; forage sendet bis [{until}|zum nächsten Monat] nichts."},
	},
	DiskMaxReached: {
		English: {off: "[Since {since} forage has stored|Forage has stored] the {most} you allow it; it fetches nothing until some are removed or you allow more."},
		German:  {off: "[Seit {since} hat forage|Forage hat] die {most} gespeichert, die Sie ihm erlauben; es holt nichts, bis etwas gelöscht ist oder Sie mehr erlauben."},
	},
	DiskShareReached: {
		English: {off: "[Since {since} forage has stored|Forage has stored] {most}, the share of the disk you allow it; it fetches nothing until some are removed or you allow more."},
		German:  {off: "[Seit {since} hat forage|Forage hat] {most} gespeichert, den Teil des Datenträgers, den Sie ihm erlauben; es holt nichts, bis etwas gelöscht ist oder Sie mehr erlauben."},
	},
	DiskNearlyFull: {
		English: {off: "The disk has been nearly full[ since {since}], with {bytes} free of the {most} that stay so; forage fetches nothing until there is more room."},
		German:  {off: "Der Datenträger ist[ seit {since}] fast voll: {bytes} sind frei, {most} sollen es bleiben; forage holt nichts, bis mehr Platz ist."},
	},
	SetToZero: {
		English: {off: "Your setting {name} [has been 0 since {since}|is 0], which means stop; forage does not work until you change it."},
		German:  {off: "Ihre Einstellung {name} ist[ seit {since}] 0, und das heißt anhalten; forage arbeitet nicht, bis Sie sie ändern."},
	},
	UnknownInput: {English: unknownEnglish("somebody is using the computer"), German: unknownGerman("jemand den Computer benutzt")},
	UnknownInputIsAway: {
		English: {full: "[Since {since} it has not been known|It is not known] whether somebody is using the computer; as you have set, that counts as nobody, until it is known."},
		German:  {full: "[Seit {since} ist nicht bekannt|Es ist nicht bekannt], ob jemand den Computer benutzt; wie Sie festgelegt haben, gilt bis dahin, dass es niemand tut."},
	},
	UnknownKeptAwake:  {English: unknownEnglish("a program keeps the computer awake, as a film does"), German: unknownGerman("ein Programm den Computer wach hält, wie ein Film es tut")},
	UnknownPower:      {English: unknownEnglish("the computer runs on battery"), German: unknownGerman("der Computer mit Akku läuft")},
	UnknownMetered:    {English: unknownEnglish("the network is paid for by use"), German: unknownGerman("das Netz nach Verbrauch bezahlt wird")},
	UnknownWifi:       {English: unknownEnglish("the wireless network is one you allow"), German: unknownGerman("das WLAN eines ist, das Sie erlauben")},
	UnknownVPN:        {English: unknownEnglish("a VPN is on"), German: unknownGerman("ein VPN eingeschaltet ist")},
	UnknownFullscreen: {English: unknownEnglish("a program fills the whole screen"), German: unknownGerman("ein Programm den ganzen Bildschirm füllt")},
	UnknownShared:     {English: unknownEnglish("your screen is shared"), German: unknownGerman("Ihr Bildschirm geteilt wird")},
	UnknownApps:       {English: unknownEnglish("one of the programs you named is running"), German: unknownGerman("eines der Programme läuft, die Sie genannt haben")},
	UnknownCPU:        {English: unknownEnglish("other programs are busy"), German: unknownGerman("andere Programme beschäftigt sind")},
	UnknownHeat:       {English: unknownEnglish("the computer is too warm"), German: unknownGerman("der Computer zu warm ist")},
	UnknownFan:        {English: unknownEnglish("the fan is loud"), German: unknownGerman("der Lüfter laut ist")},
	UnknownDisk:       {English: unknownEnglish("there is room on the disk"), German: unknownGerman("auf dem Datenträger Platz ist")},
	HasFullBudget: {
		English: only("Nothing limits forage now but its full budget."),
		German:  only("Nichts beschränkt forage jetzt außer seinem vollen Budget."),
	},
	LookingForHelpers: {
		English: only("Forage has been looking for other helpers[ since {since}] and has found none yet."),
		German:  only("Forage sucht[ seit {since}] nach anderen Helfern und hat noch keine gefunden."),
	},
	NothingDue: {
		English: only("Nothing is due at your sites [until {until}|now]."),
		German:  only("An Ihren Websites ist [bis {until}|jetzt] nichts fällig."),
	},
	SitesAskedToWait: {
		English: only("Site owners have asked forage to wait[ until {until}]."),
		German:  only("Betreiber von Websites haben forage gebeten,[ bis {until}] zu warten."),
	},
	UpdateNeeded: {
		English: only("This version of forage is too old to be safe; it has been resting[ since {since}] until it is updated."),
		German:  only("Diese Version von forage ist zu alt, um sicher zu sein; es ruht[ seit {since}], bis es aktualisiert ist."),
	},
	StoreTrouble: {
		English: only("[Since {since} forage has not been|Forage is not] able to write to its store[ ({name})]; it does not work until it is."),
		German:  only("Forage kann[ seit {since}] nicht in seinen Speicher schreiben[ ({name})]; es arbeitet nicht, bis es das wieder kann."),
	},
	ArchiveTrouble: {
		English: only("[Since {since} forage has not been|Forage is not] able to write to its archive[ ({name})]; it fetches nothing until [{until}, when it tries again|it is]."),
		German:  only("Forage kann[ seit {since}] nicht in sein Archiv schreiben[ ({name})]; es holt [bis {until} nichts und versucht es dann wieder|nichts, bis es das wieder kann]."),
	},
	Starting: {
		English: only("Forage is starting."),
		German:  only("Forage startet."),
	},
	Stopping: {
		English: only("Forage is stopping."),
		German:  only("Forage hört auf."),
	},
}
