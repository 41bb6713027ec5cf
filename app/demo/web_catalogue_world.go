package demo

import (
	"github.com/forage-net/forage/app/demo/markup"
)

func worldSites() []siteSpec {
	return []siteSpec{
		{
			name: "kissaten.test", title: "喫茶店めぐり", lang: "ja", sections: list("店", "珈琲", "日記"),
			subjects: list("朝の珈琲", "厚切りトースト", "路地裏の店", "古い時計", "ネルドリップ", "窓ぎわの席", "マスターの話", "プリン", "雨の午後", "マッチ箱",
				"レコード"),
			charset: markup.ShiftJIS, paths: pathNumbers,
		},
		{
			name: "chalu.test", title: "茶路", lang: "zh", sections: list("茶山", "茶具", "游记"),
			subjects: list("春茶", "老茶馆", "紫砂壶", "山路", "白茶", "井水", "采茶的清晨", "茶马古道", "炒青", "一只旧杯子", "雨前"),
			paths:    pathUnicode,
		},
		{
			name: "maktaba.test", title: "مكتبة الحارة", lang: "ar", sections: list("كتب", "مخطوطات", "مجالس"),
			subjects: list("المخطوطات القديمة", "ركن الأطفال", "شعر المساء", "دكان الوراق", "خرائط البحر",
				"حكايات الجدة", "الخط الكوفي", "رسائل السفر",
				"القاموس", "مقهى القراءة"),
			paths: pathNumbers,
		},
		{
			name: "dacha.test", title: "Дачный дневник", lang: "ru", sections: list("Огород", "Дом", "Вечера"),
			subjects: list("Яблоневый сад", "Печка", "Смородина", "Самовар", "Теплица", "Старый забор", "Варенье",
				"Соловьи", "Колодец", "Баня", "Первый снег"),
			charset: markup.Windows1251, paths: pathNumbers,
		},
		{
			name: "shufa.test", title: "书法小记", lang: "zh", sections: list("碑帖", "笔墨", "习字"),
			subjects: list("楷书", "一方旧砚", "墨色", "临帖", "毛笔", "宣纸", "草书", "印章", "永字八法", "窗下写字"),
			charset:  markup.UTF16, paths: pathNumbers,
		},
		{
			name: "washi.test", title: "和紙の里", lang: "ja", sections: list("紙すき", "道具", "四季"),
			subjects: list("楮の皮", "冬の水", "漉き桁", "障子", "千代紙", "紙の乾燥", "里の工房", "染め紙", "灯りの紙", "墨と紙"),
			paths:    pathUnicode, skin: markup.Plain,
		},
		{
			name: "nisia.test", title: "Νησιά με το καράβι", lang: "el",
			sections: list("Λιμάνια", "Γεύσεις", "Ημερολόγιο"),
			subjects: list("Το μικρό λιμάνι", "Ο φάρος", "Καΐκια", "Το πανηγύρι", "Μελτέμι", "Ψωμί με ρίγανη",
				"Ξερολιθιές", "Ο ανεμόμυλος",
				"Η τελευταία γραμμή", "Αλυκές"),
			paths: pathNumbers,
		},
		{
			name: "rasoi.test", title: "दादी की रसोई", lang: "hi", sections: list("दाल", "मिठाई", "मसाले"),
			subjects: list("अरहर की दाल", "गाजर का हलवा", "आम का अचार", "मिट्टी का चूल्हा", "पराठे", "हल्दी", "खीर",
				"पुदीने की चटनी", "सावन की कढ़ी", "गुड़"),
			paths: pathNumbers,
		},
		{
			name: "hanok.test", title: "한옥 마을 이야기", lang: "ko", sections: list("집", "마당", "사람들"),
			subjects: list("온돌방", "기와지붕", "장독대", "대청마루", "한지 창문", "감나무", "골목길", "돌담", "부엌", "처마 끝"),
			charset:  markup.EUCKR, paths: pathNumbers,
		},
		{
			name: "sifria.test", title: "ספריית השכונה", lang: "he", sections: list("ספרים", "ערבים", "ארכיון"),
			subjects: list("ספרי ילדים", "שירה", "מפות ישנות", "סיפורי סבתא", "העיתון הראשון", "המדף התחתון",
				"חוג קריאה", "מכתבים", "מילון", "החלון הגדול"),
			paths: pathNumbers,
		},
		{
			name: "kahve.test", title: "Kahve ve Sohbet", lang: "tr", sections: list("Kahveler", "Şehirler", "Defter"),
			subjects: list("Cezve", "Köpük", "Mahalle kahvesi", "Fal", "Bakır işçiliği", "Menengiç", "Vapurda çay",
				"Lokum", "Sabah telvesi", "Eski değirmen"),
		},
		{
			name: "samovar.test", title: "Музей самоваров", lang: "ru",
			sections: list("Собрание", "Мастера", "Чаепития"),
			subjects: list("Медный самовар", "Жаровой кран", "Тульские мастера", "Шишки и сапог", "Поднос",
				"Чай с дымком", "Дорожный самовар", "Заварник",
				"Витрина у окна", "Баранки"),
			paths: pathUnicode,
		},
	}
}
