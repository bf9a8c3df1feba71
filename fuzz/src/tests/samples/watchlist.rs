//! Files of sanctions lists, maps of columns, and snapshots.

use super::list;
use crate::split::SEPARATOR;

const SDN_XML: &[u8] = include_bytes!("../../../../crates/subjects/watchlist/tests/it/fixtures/sdn.xml");
const ADVANCED_XML: &[u8] =
    include_bytes!("../../../../crates/subjects/watchlist/tests/it/fixtures/sdn_advanced.xml");
const MAIN: &[u8] = b"101,\"EXAMPLOV, Ivan Petrovich\",\"individual\",\"TEST-EO1] [TEST-EO2\",\"Director\",-0- ,-0- ,-0- ,-0- ,\
    -0- ,-0- ,\"DOB 03 Mar 1961; alt. DOB circa 1962 to 1963; nationality Russia; Gender Male; Passport AB 123 (Russia)\
    ; Digital Currency Address - XBT 1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi; a.k.a. 'VANYA'; Secondary sanctions risk: section 1.\"\r\n\
    102,\"EXAMPLE & SONS, LLC\",-0- ,\"SDGT\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \r\n\
    103,\"SEA EXAMPLE\",\"vessel\",\"NS-PLC\",-0- ,\"CL2192\",\"Tug\",-0- ,-0- ,\"Cuba\",-0- ,\
    \"Vessel Registration Identification IMO 7406784.\"\r\n\x1a";
const ALIASES: &[u8] = b"101,5,\"aka\",\"EKSAMPLOV, Ivan\",-0- \r\n\x1a";
const ADDRESSES: &[u8] =
    b"101,7,\"1 Test Street\",\"Moscow\",\"Russia\",-0- \r\n103,8,-0- ,-0- ,-0- ,-0- \r\n\x1a";
const COMMENTS: &[u8] = b"101,\"Passport CD 456 (Russia).\"\r\n\x1a";
const NAMES_JSON: &[u8] = br#"{"published": "2026-08-20", "entries": [{"uid": 1, "name": "X", "type": "entity",
    "programs": ["P", "Q"], "alternateNames": ["Y", "\u042d\u041a"]}, {"uid": 2, "name": "Z, A", "type": "individual"}]} "#;
const WALLETS: &[u8] = b"{\"address\": \"1abc\", \"currency\": \"XBT\", \"uid\": 101, \"entity\": \"X\", \"program\": \"P,Q\"}\n\
    {\"address\": \"1def\", \"currency\": \"ETH\", \"uid\": 101, \"entity\": \"X\"}\n\
    {\"address\": \"1abc\", \"currency\": \"ETH\", \"uid\": 9, \"entity\": \"W\"}\n";
const TARGETS: &str = "id,schema,name,aliases,birth_date,countries,addresses,identifiers,sanctions,phones,emails,\
    program_ids,dataset,first_seen,last_seen,last_change\n\
    NK-1,Person,Ivan Examplov,Иван Экзамплов;I. Examplov,1961-03;1962/1963~,ru;cy,\"1 Test Street, Moscow\",\
    AB123,EU 269,,,EU-UKR,EU FSF,,,\n\
    NK-2,Vessel,SEA EXAMPLE,,,cu,,IMO7406784;MMSI1,,,,,EU FSF,,,\n\
    NK-3,CryptoWallet,1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi,,,,,,,,,,EU FSF,,,\n";
const FEW_COLUMNS: &[u8] =
    b"id,schema,name,aliases,birth_date,countries,addresses,identifiers,sanctions,dataset\n\
    A,Person,X,,,,,,,EU FSF\nB,LegalEntity,\"Y \"\"Z\"\"\",,,,,,,\"EU, FSF\"\n";
const UN_XML: &str = r#"<CONSOLIDATED_LIST dateGenerated="2026-03-04T00:00:09.554Z"><INDIVIDUALS><INDIVIDUAL>
<DATAID>9001</DATAID><FIRST_NAME>JANEK</FIRST_NAME><SECOND_NAME>MUSTER &amp; CO</SECOND_NAME><UN_LIST_TYPE>Test</UN_LIST_TYPE>
<REFERENCE_NUMBER>XXi.001</REFERENCE_NUMBER><GENDER>Male</GENDER><NAME_ORIGINAL_SCRIPT>Янек</NAME_ORIGINAL_SCRIPT>
<COMMENTS1>Comment.</COMMENTS1><TITLE><VALUE>Dr</VALUE></TITLE><NATIONALITY><VALUE>Utopia</VALUE></NATIONALITY>
<INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>Jano; Sampler (SMP) (Самплер (original script); J.) b) M</ALIAS_NAME></INDIVIDUAL_ALIAS>
<INDIVIDUAL_ALIAS><QUALITY>Low</QUALITY><ALIAS_NAME>Jan</ALIAS_NAME></INDIVIDUAL_ALIAS>
<INDIVIDUAL_ADDRESS><STREET>1 Test Street</STREET><COUNTRY>Ruritania</COUNTRY></INDIVIDUAL_ADDRESS>
<INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>APPROXIMATELY</TYPE_OF_DATE><DATE>1961-03-02</DATE></INDIVIDUAL_DATE_OF_BIRTH>
<INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE><FROM_YEAR>1964</FROM_YEAR><TO_YEAR>1966</TO_YEAR></INDIVIDUAL_DATE_OF_BIRTH>
<INDIVIDUAL_DOCUMENT><TYPE_OF_DOCUMENT>Passport</TYPE_OF_DOCUMENT><NUMBER>P 1</NUMBER><ISSUING_COUNTRY>Utopia</ISSUING_COUNTRY></INDIVIDUAL_DOCUMENT>
</INDIVIDUAL></INDIVIDUALS><ENTITIES><ENTITY><DATAID>9002</DATAID><FIRST_NAME>SAMPLE</FIRST_NAME></ENTITY></ENTITIES></CONSOLIDATED_LIST>"#;
const EU_XML: &str = r#"<export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2026-03-04T15:29:22.497+02:00">
<sanctionEntity euReferenceNumber="EU.1.2" unitedNationId="XXi.001" logicalId="71"><remark>Remark.</remark>
<regulation programme="TEST"/><subjectType code="person" classificationCode="P"/><nameAlias wholeName="Янек Мустер" strong="true"/>
<nameAlias firstName="Janek" middleName="M" lastName="Muster" wholeName="Janek M Muster" gender="M" title="Dr" strong="true"/>
<nameAlias wholeName="The Sample" strong="false"><remark>Low quality alias</remark></nameAlias><citizenship countryDescription="UTOPIA"/>
<birthdate circa="false" calendarType="GREGORIAN" birthdate="1961-03-02"/><birthdate circa="true" year="1962" monthOfYear="5"/>
<birthdate yearRangeFrom="1964" yearRangeTo="1966"/><address street="1 Test Street" countryDescription="RURITANIA"/>
<identification identificationTypeDescription="Passport" number="P 1" countryDescription="UTOPIA"/></sanctionEntity>
<sanctionEntity logicalId="72"><subjectType classificationCode="E"/><nameAlias wholeName="Sample Trading"/></sanctionEntity></export>"#;
const EU_CSV: &str = "\u{feff}fileGenerationDate;Entity_LogicalId;Entity_EU_ReferenceNumber;Entity_Remark;Entity_SubjectType;\
    NameAlias_LastName;NameAlias_FirstName;NameAlias_WholeName;NameAlias_Gender;NameAlias_Strong;Address_Street;\
    Address_CountryDescription;BirthDate_BirthDate;BirthDate_Year;BirthDate_Circa;BirthDate_CalendarType;Identification_Number;\
    Identification_TypeDescription;Citizenship_CountryDescription\n\
    04/03/2026;71;EU.1.2;Remark.;P;;;Янек Мустер;;false;;;;;;;;;\n\
    04/03/2026;71;EU.1.2;Remark.;P;Muster;Janek;Janek Muster;M;true;;;;;;;;;UTOPIA\n\
    04/03/2026;71;EU.1.2;Other.;P;;;;;;1 Test Street;RURITANIA;1961-03-02;;false;GREGORIAN;P 1;Passport;\n\
    04/03/2026;72;;;E;;;\"Sample; Trading\";;;;;;1962;true;;;;\n";
const UK_XML: &str = "<Designations><DateGenerated>04/03/2026</DateGenerated><Designation><UniqueID>TST0001</UniqueID>\
    <OFSIGroupID>555</OFSIGroupID><UNReferenceNumber>XXi.001</UNReferenceNumber><Names>\
    <Name><Name6>MUSTER</Name6><Name1>Janek</Name1><NameType>Primary Name</NameType></Name>\
    <Name><Name6>MUSTERE</Name6><NameType>Primary Name Variation</NameType></Name>\
    <Name><Name6>SAMPLE</Name6><NameType>Alias</NameType><AliasStrength>Low quality</AliasStrength></Name></Names>\
    <NonLatinNames><NonLatinName><NameNonLatinScript>Янек</NameNonLatinScript></NonLatinName></NonLatinNames>\
    <Titles><Title>Dr</Title></Titles><RegimeName>Test</RegimeName><IndividualEntityShip>Individual</IndividualEntityShip>\
    <OtherInformation>0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed</OtherInformation>\
    <Addresses><Address><AddressLine1>1 Test Street</AddressLine1><AddressCountry>Ruritania</AddressCountry></Address></Addresses>\
    <IndividualDetails><Individual><DOBs><DOB>02/03/1961</DOB><DOB>dd/05/1962</DOB></DOBs><Genders><Gender>Male</Gender></Genders>\
    <Nationalities><Nationality>Utopia</Nationality></Nationalities>\
    <PassportDetails><Passport><PassportNumber>P1234</PassportNumber></Passport></PassportDetails></Individual></IndividualDetails>\
    </Designation><Designation><UniqueID>TST0003</UniqueID><Names><Name><Name6>SEA</Name6><NameType>Primary Name</NameType></Name></Names>\
    <IndividualEntityShip>Ship</IndividualEntityShip><ShipDetails><Ship><IMONumbers><IMONumber>IMO7406784</IMONumber></IMONumbers>\
    </Ship></ShipDetails></Designation></Designations>";
const UK_CSV: &str = "Report Date: 04-Mar-2026\n\
    Last Updated,Unique ID,OFSI Group ID,UN Reference Number,Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Name type,Alias strength,\
    Title,Name non-latin script,Regime Name,Designation Type,Other Information,Address Line 1,Address Country,D.O.B,\
    Nationality(/ies),Passport number,Gender,IMO number\n\
    01/02/2026,TST0001,555,XXi.001,MUSTER,Janek,,,,,Primary Name,,Dr,Янек,Test,Individual,\"Remark\nof it.\",1 Test Street,Ruritania,\
    02/03/1961,(1) Utopia (2) Ruritania,(1) P1234 (2) P5678,Male\n\
    01/02/2026,TST0001,555,XXi.001,MUSTERE,Jan,,,,,Primary Name Variation,,,,Test,Individual,More of it.,,,dd/05/1962\n\
    01/02/2026,TST0001,555,,SAMPLE,,,,,,Alias,Low quality\n\
    01/02/2026,TST0003,,,SEA,,,,,,Primary Name,,,,Test,Ship,,,,,,,,IMO7406784\n";
const OFSI_XML: &str = "<ArrayOfFinancialSanctionsTarget><FinancialSanctionsTarget><GroupID>555</GroupID><Name6>MUSTER</Name6>\
    <name1>Janek</name1><AliasType>Primary name</AliasType><NameNonLatinScript>Янек</NameNonLatinScript>\
    <GroupTypeDescription>Individual</GroupTypeDescription><RegimeName>Test</RegimeName><Individual_DateOfBirth>02/03/1961</Individual_DateOfBirth>\
    <Individual_Nationality>(1) Utopia (2) Ruritania</Individual_Nationality><Individual_Gender>Female</Individual_Gender>\
    <OtherInformation>(UK Sanctions List Ref):TST0001. (UN Ref):XXi.001.</OtherInformation></FinancialSanctionsTarget>\
    <FinancialSanctionsTarget><GroupID>555</GroupID><Name6>SAMPLE</Name6><AliasType>AKA</AliasType><AliasQuality>Low quality</AliasQuality>\
    </FinancialSanctionsTarget><FinancialSanctionsTarget><GroupID>556</GroupID><Name6>SEA</Name6><AliasType>Primary name</AliasType>\
    <GroupTypeDescription>Ship</GroupTypeDescription><OtherInformation>(IMO number):7406784 (Ship type):Tug</OtherInformation>\
    </FinancialSanctionsTarget></ArrayOfFinancialSanctionsTarget>";
const OFSI_CSV: &str = "Last Updated,04/03/2026\n\
    Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Title,Name Non-Latin Script,DOB,Nationality,Passport Number,Address 1,Post/Zip Code,\
    Country,Other Information,Group Type,Alias Type,Alias Quality,Regime,Group ID\n\
    MUSTER,Janek,,,,,Dr,Янек,02/03/1961,(1) Utopia (2) Ruritania,(1) P1234 (2) P5678,1 Test Street,12345,Ruritania,\
    (UK Sanctions List Ref):TST0001. (UN Ref):XXi.001. (Gender):Female,Individual,Primary name,,Test,555\n\
    SAMPLE,,,,,,,,1962,,,,,,More of it.,Individual,AKA,Low quality,Test,555\n\
    SEA,,,,,,,,,,,,,,(IMO number):7406784,Ship,Primary name,,Test,556\n";
const SECO_XML: &str = r#"<swiss-sanctions-list date="2026-03-04"><sanctions-program ssid="20">
<program-key lang="ger">Musterland</program-key><program-key lang="eng">Utopia</program-key><sanctions-set ssid="21"/></sanctions-program>
<target ssid="101"><sanctions-set-id>21</sanctions-set-id><foreign-identifier>XXi.001</foreign-identifier><individual>
<identity main="true"><name name-type="primary-name" quality="good">
<name-part order="2" name-part-type="given-name"><value>Janek</value><spelling-variant script="CYRL">Янек</spelling-variant></name-part>
<name-part order="1" name-part-type="family-name"><value>Muster</value><spelling-variant script="LATN">Mustre</spelling-variant>
<spelling-variant script="CYRL">Мустер</spelling-variant></name-part></name>
<name name-type="alias" quality="low"><name-part name-part-type="whole-name"><value>The Sample</value></name-part></name>
<day-month-year day="2" month="3" year="1961" calendar="Gregorian" quality="good"/><day-month-year year="1963" quality="low"/>
<day-month-year from-year="1964" to-year="1966"/><nationality place-id="81"/><address place-id="81"><zip-code>12345</zip-code></address>
<identification-document document-type="passport"><number>P 1</number><issuer code="UT">Utopia</issuer></identification-document>
</identity><other-information>Remark.</other-information></individual><modification modification-type="listed"/></target>
<target ssid="102"><entity/><modification modification-type="de-listed"/></target>
<target ssid="103"><object object-type="vessel"><identity main="true"><name name-type="primary-name"><name-part><value>Sea</value></name-part>
</name></identity><other-information>IMO Number: 7406784</other-information></object></target>
<place ssid="81"><country iso-code="UT">Utopia</country></place></swiss-sanctions-list>"#;
/// A party with a key for each of two sources.
const CSL: &str = "_id,source,entity_number,type,programs,name,title,addresses,call_sign,vessel_flag,remarks,source_list_url,alt_names,\
    citizenships,dates_of_birth,ids\n\
    4711,Specially Designated Nationals (SDN) - Treasury Department,4711,Individual,TEST-A; TEST-B,\"MUSTER, Janek\",Dr,\
    \"1 Test Street, UT; 2 Test Street, RT\",,,Remark.,,Jan Muster; Янек,UT,1961-03-02; circa 1963; 1964 to 1966,\
    \"Passport, P1234, UT; UT, 99-1, Tax ID No.; 55123, Tax ID No.; Gender, Male\"\n\
    a1,Entity List (EL) - Bureau of Industry and Security,,,,Sample Trading,,,CL2192,UT,,,Sample Traders,,,\n";
/// The layout without keys: one party in two records, and another under its number.
const CSL_WITHOUT_KEYS: &str = "source,entity_number,type,name,addresses,start_date,remarks,source_list_url,alt_names\n\
    ITAR Debarred (DTC) - State Department,7,,Jan Pattern,1 Test Street,,Remark.,,Jan\n\
    ITAR Debarred (DTC) - State Department,7,,Jan Pattern,2 Test Street,,Other.,,Janek\n\
    ITAR Debarred (DTC) - State Department,7,,Sample Works,,2026-03-04,,,\n\
    ITAR Debarred (DTC) - State Department,,,Sample Works,,2026-03-04,,,\n\
    Denied Persons List (DPL) - Bureau of Industry and Security,7,,Jan Denied,,,,,\n";

const MAP: &str = r#"{"list":"House list","topic":"pep","uid":["act","no"],"name":"name","aliases":["aka"],"weak_aliases":["nick"],
"type":"kind","types":{"natural":"person","ship":"vessel"},"birth_dates":["born"],"countries":["state"],"addresses":["street"],
"programs":["program"],"identifiers":{"pass":"Passport","sex":"Gender"},"imo":"imo","wallets":{"btc":"XBT"},"remarks":"notes"}"#;
const HOUSE_CSV: &str = "act,no,name,aka,nick,kind,born,state,street,program,pass,sex,imo,btc,notes,unread\n\
    A,1,\"Muster, Janek\",Jan;Янек,Jano,natural,11.8.1960; (a) 1961-03 (b) circa 1963;1964/1966,UT;RT,1 Test Street,P-A,P1,Male,,1test,\
    \"Note;\nof it.\",x\n\
    A,2,Sea,,,ship,,,,,,,IMO 7406784,,,\n";
const HOUSE_LINES: &str = "{\"act\":\"A\",\"no\":1,\"name\":\"Muster, Janek\",\"aka\":[\"Jan\",\"\\u042f\"],\"nick\":\"Jano\",\
    \"kind\":\"natural\",\"born\":[\"11/08/1960\",1961],\"state\":\"UT;RT\",\"street\":null,\"program\":\"P\",\"pass\":\"P1\",\
    \"sex\":\"M\",\"btc\":\"1test\",\"notes\":\"Note.\",\"unread\":{\"a\":true}}\n\n\
    {\"act\":\"A\",\"no\":\"2\",\"name\":\"Sea\",\"kind\":\"ship\",\"imo\":7406784}\n";
/// Without a key; its cells are one value each.
const SHORT_MAP: &str = r#"{"list":"L","name":"n","aliases":["a"],"separator":"","delimiter":"\t"}"#;
const SHORT_CSV: &str = "n\ta\tx\nMuster\tJan; J\t1\nMuster\t\t2\n";
const SHORT_LINES: &str = "{\"n\":\"Muster\",\"a\":[\"Jan; J\"]}\n{\"n\":\"Sample\",\"x\":2}";

pub fn watchlist_columns() -> Vec<Vec<u8>> {
    let samples = [(MAP, HOUSE_CSV), (MAP, HOUSE_LINES), (SHORT_MAP, SHORT_CSV), (SHORT_MAP, SHORT_LINES)];
    samples.map(|(map, file)| join(&[map.as_bytes(), file.as_bytes()])).to_vec()
}

pub fn watchlist_file() -> Vec<Vec<u8>> {
    let texts = [
        TARGETS,
        UN_XML,
        EU_XML,
        EU_CSV,
        UK_XML,
        UK_CSV,
        OFSI_XML,
        OFSI_CSV,
        SECO_XML,
        CSL,
        CSL_WITHOUT_KEYS,
    ];
    let files = [SDN_XML, ADVANCED_XML, MAIN, NAMES_JSON, WALLETS, FEW_COLUMNS];
    files.into_iter().chain(texts.map(str::as_bytes)).map(<[u8]>::to_vec).collect()
}

pub fn watchlist_publication() -> Vec<Vec<u8>> {
    let files = |files: &[(&str, &[u8])]| {
        let parts: Vec<&[u8]> = files.iter().flat_map(|(name, bytes)| [name.as_bytes(), *bytes]).collect();
        join(&parts)
    };
    let texts = |of: &[(&str, &str)]| {
        files(&of.iter().map(|(name, text)| (*name, text.as_bytes())).collect::<Vec<_>>())
    };
    vec![
        files(&[
            ("sdn.csv", MAIN),
            ("alt.csv", ALIASES),
            ("add.csv", ADDRESSES),
            ("sdn_comments.csv", COMMENTS),
        ]),
        files(&[("sdn.xml", SDN_XML), ("addresses.jsonl", WALLETS), ("targets.csv", TARGETS.as_bytes())]),
        files(&[("sdn_advanced.xml", ADVANCED_XML), ("sdn.xml", SDN_XML), ("sdn.csv", MAIN)]),
        files(&[("cons_prim-2026-08-20.csv", MAIN), ("names.json", NAMES_JSON)]),
        texts(&[("eu.xml", EU_XML), ("eu.csv", EU_CSV)]),
        texts(&[("uk.csv", UK_CSV), ("uk.xml", UK_XML)]),
        texts(&[("ofsi.xml", OFSI_XML), ("ofsi.csv", OFSI_CSV)]),
        texts(&[("un.xml", UN_XML), ("seco.xml", SECO_XML), ("csl-2026-03-04.csv", CSL)]),
        texts(&[("csl.csv", CSL), ("old.csv", CSL_WITHOUT_KEYS)]),
    ]
}

pub fn watchlist_snapshot() -> Vec<Vec<u8>> {
    list([b"{\"form\":\"touchstone-list/1\",\"list\":\"OFAC SDN\",\"published\":\"2026-08-20\",\"coverage\":\"names\",\"demo\":false}\n\
        {\"uid\":\"101\",\"list\":\"OFAC SDN\",\"kind\":\"person\",\"names\":[{\"text\":\"EXAMPLOV, Ivan\",\"quality\":\"primary\"},\
        {\"text\":\"\xd0\xad\xd0\x9a\",\"quality\":\"weak\",\"original_script\":true}],\"programs\":[\"P\"],\"title\":\"Director\",\
        \"gender\":\"male\",\"births\":[\"1961-03-03\",\"1962~\",\"1961/1963\"],\"countries\":[\"Cyprus\"],\"addresses\":[\"1 Test Street\"],\
        \"identifiers\":[{\"kind\":\"Passport\",\"number\":\"AB 123\",\"country\":\"Russia\"}],\"remarks\":\"r\"}\n\
        {\"uid\":\"103\",\"list\":\"OFAC SDN\",\"kind\":\"vessel\",\"names\":[{\"text\":\"SEA\",\"quality\":\"primary\"}],\"imo\":7406784,\
        \"call_sign\":\"CL2192\",\"wallets\":[{\"address\":\"1abc\",\"currency\":\"XBT\"}]}\n"])
}

fn join(parts: &[&[u8]]) -> Vec<u8> {
    parts.join(&SEPARATOR)
}
