// What the local API says. The names are those of its answers (app/api).

export interface Status {
  version: string;
  boot_id: string;
  pid: number;
  started: string;
  network: string;
  lab: boolean;
  home: string;
  state: "working" | "paused" | "waiting" | "stopping";
  sentence: string;
  /** The setting that keeps it from work, "" if none does. */
  setting: string;
  trouble: string;
  consent: boolean;
  reasons: string[];
  resume_at: string | null;
  uptime_s: number;
  pages: number;
  pages_per_s: number;
  bytes_received: number;
  bytes_sent: number;
  domains: number;
  queued: number;
  known: number;
  waiting: number;
  undone: number;
  undone_peer: string;
  undone_at: string | null;
  members: number;
  connected: number;
  share: number;
  leads: number;
  whole: number;
  careful: number;
  admission: string;
  follows: number;
  catching_up: number;
  leases: number;
  in_flight: number;
  sockets: number;
  archive_dir: string;
  archive_files: number;
  archive_bytes: number;
  disk_free: number;
  index: { on: boolean; pages: number; bytes: number; waiting: number; full: boolean };
  health: Health;
  seq: number;
}

export interface Health {
  sentence: string;
  factor: number;
  answered: number;
  refused: number;
  challenged: number;
  answered_before: number;
  refused_before: number;
  answered_week: number;
  refused_week: number;
  challenged_week: number;
  waits: number;
  waits_week: number;
  forbidden: number;
  forbidden_week: number;
  sampled: boolean;
}

export type RunMode = "always" | "away" | "off";

export interface Limits {
  level: string;
  footing: string;
  sentence: string;
  reasons: LimitReason[];
  mode: string;
  until: string | null;
  /** When the node works; other limits hold in each. */
  run: RunMode;
  changes: string | null;
  /** Nothing but the user's presence or hours keeps it from work. */
  help_now: boolean;
  budgets: LimitBudget[];
  quotas: LimitQuota[];
  sensors: LimitSensor[];
  fault: string;
}

export interface LimitReason {
  kind: string;
  allows: string;
  sentence: string;
  since: string | null;
  until: string | null;
}

/** Measures are -1 where nothing is known; a limit of -1 is none. */
export interface LimitBudget {
  name: string;
  unit: string;
  limit: number;
  now: number;
  minute: number;
  hour: number;
  day: number;
}

export interface LimitQuota {
  name: string;
  used: number;
  limit: number;
}

export interface LimitSensor {
  name: string;
  known: boolean;
  value: string;
  source: string;
  never: boolean;
  why: string;
}

export interface LimitFigure {
  name: string;
  limit: number;
  mean: number;
  max: number;
}

export interface LimitHistory {
  summary: LimitSummary[];
  minutes: { start: string; seconds: number; level: string; figures: LimitFigure[] }[];
  breaches: { name: string; start: string; length_s: number; limit: number; worst: number; cause: string }[];
}

export interface LimitSummary {
  [key: string]: unknown;
}

export interface Domain {
  domain: string;
  owner: string;
  state: string;
  reason: string;
  queued: number;
  fetched: number;
  failed: number;
  duplicates: number;
  bytes: number;
  refusals: number;
  challenges: number;
  backoffs: number;
  next_visit: string | null;
  crawl_delay_s: number;
  title: string;
  distance: string;
}

export interface Event {
  id: number;
  time: string;
  kind: string;
  code: string;
  domain: string;
  url: string;
  status: number;
  bytes: number;
  title: string;
  /** The ISO 639 code of what the page says it is in, "" if that is not known. */
  language: string;
  text: string;
  /** The domain's place on the ring, 0 ≤ at < 1, -1 if the event is about none. */
  at: number;
  peer: string;
  count: number;
  took_ms: number;
  /** Nobody in the network had fetched it before, as far as the node knows; absent where it does not say. */
  first: boolean;
}

export interface EventPage {
  boot_id: string;
  events: Event[];
  /** What to ask for next. */
  next: number;
  /** Events before these are no longer kept, or were of another start of the node. */
  dropped: boolean;
}

export interface Counts {
  pages: number;
  duplicates: number;
  redirects: number;
  unchanged: number;
  gone: number;
  failed: number;
  forbidden: number;
  found: number;
  bytes_received: number;
  bytes_sent: number;
  firsts: number;
  links: number;
  helped_s: number;
  peer_received: number;
  peer_sent: number;
  connects: number;
  connect_ms: number;
}

export interface SeriesPoint extends Counts {
  start: string;
  domains: number;
  languages: Record<string, number>;
}

export interface Series {
  unit: "hour" | "day" | "year";
  points: SeriesPoint[];
  totals: Counts & { domains: number; languages: Record<string, number> };
}

export interface Best {
  first_page: { time: string; url: string; title: string } | null;
  busiest_day: { start: string; pages: number } | null;
  days_helped: number;
  streak_days: number;
  milestones: Milestone[];
}

export interface Milestone {
  kind: string;
  count: number;
  language: string;
  day: string | null;
}

export interface Away {
  /** Null if there is nothing to tell. */
  since: string | null;
  until: string | null;
  sentence: string;
  pages: number;
  firsts: number;
  sites: number;
  more: boolean;
  languages: string[];
  /** Without id, its capture is not found. */
  first: { id: string; url: string; domain: string; title: string } | null;
  farthest: { domain: string; ms: number } | null;
  shown: Find[];
  milestones: Milestone[];
}

export interface Peers {
  id: string;
  addrs: string[];
  reachability: string;
  invite: string;
  private: boolean;
  alone: boolean;
  members: number;
  share: number;
  peers: Peer[];
  traffic: { kind: string; protocol: string; sent: number; received: number; bytes_sent: number; bytes_received: number }[];
  shared: Record<string, number>;
  offences: Record<string, number>;
}

export interface Peer {
  id: string;
  state: string;
  connection: string;
  addr: string;
  reach: string;
  capacity: number;
  share: number;
  rtt_ms: number;
  leases_held: number;
  leases_lent: number;
  outcomes: number;
  checks: number;
  checks_agreed: number;
  checks_alone: number;
  barred_until: string | null;
  version: string;
}

export interface Ring {
  self: string;
  members: { id: string; self: boolean; connected: boolean; share: number; capacity: number; away_ms: number; bearing: number }[];
  points: { at: number; member: number }[];
  arcs: { from: number; to: number; member: number }[];
  domains: { at: number; domain: string; fetched: number; last: string | null; language: string }[];
  fill: number;
  version: string;
}

export interface Why {
  url: string;
  domain: string;
  owner: string;
  verdict: string;
  sentence: string;
  details: string[];
  setting: string;
  next: string | null;
}

export interface Request {
  time: string;
  url: string;
  domain: string;
  status: number;
  code: string;
  bytes: number;
  took_ms: number;
  title: string;
  addr: string;
  owner: string;
  checks: string;
  by: string;
  allowed: string;
  rule: string;
  waited_s: number;
  gap_s: number;
}

export interface Capture {
  id: string;
  url: string;
  time: string;
  status: number;
  mime: string;
  bytes: number;
  title: string;
  revisit: boolean;
}

/** A piece of text; nothing in it is markup. */
export interface SnippetPiece {
  text: string;
  match: boolean;
}

export interface Found {
  id: string;
  url: string;
  time: string;
  title: string;
  domain: string;
  language: string;
  snippet: SnippetPiece[];
  copies: number;
  moreOfSite: number;
  links: number;
}

export interface SearchPage {
  results: Found[];
  next: string;
  total: number;
  more: boolean;
  some: boolean;
  pages: number;
  waiting: number;
  full: boolean;
  off: boolean;
}

export interface InLink {
  from: string;
  site: string;
  title: string;
  text: string;
  to: string;
  first: string;
  last: string;
  pages: number;
  id: string;
}

export interface LinksPage {
  target: string;
  domain: boolean;
  sites: number;
  links: number;
  list: InLink[];
  next: string;
}

export interface SiteSummary {
  domain: string;
  title: string;
  description: string;
  languages: { language: string; pages: number }[];
  pages: number;
  bytes: number;
  first: string;
  last: string;
  fresh: number;
  linkingSites: number;
  topLinks: InLink[];
  top: Found[];
  distance: string;
}

export type Find = Found & { reason: string };

export interface Finds {
  day: string;
  pages: Find[];
}

export interface PageText {
  url: string;
  time: string;
  title: string;
  language: string;
  status: number;
  mime: string;
  paragraphs: { kind: string; text: string }[];
  links: string[];
  cut: boolean;
  html: boolean;
}

export interface ViewTicket {
  view: string;
  url: string;
}

/** What the frame of a view shows; without id, that an address is not archived. */
export interface ArchiveView {
  id: string;
  url: string;
  time: string;
  title: string;
  status: number;
  missing: { url: string; kind: string }[];
  more: number;
  hurried: boolean;
  cut: boolean;
}

export interface Settings {
  settings: Setting[];
  cards: SettingsCard[];
  presets: Preset[];
  startup: Startup;
  file: string;
  fault: string;
}

export interface SettingsCard {
  title: string;
  rows: SettingsRow[];
}

export interface SettingsRow {
  key: string;
  label: string;
  note: string;
}

export interface Setting {
  key: string;
  group: string;
  group_name: string;
  name: string;
  type: string;
  control: string;
  value: unknown;
  text: string;
  default_text: string;
  /** The value and the default as one says them. */
  words: string;
  default_words: string;
  range: string;
  meaning: string;
  why: string;
  choices: string[];
  choice_names: string[];
  unit: string;
  /** The text in two parts, and what the second can be. */
  number: string;
  number_unit: string;
  units: { text: string; name: string }[];
  min: number | null;
  max: number | null;
  /** Whether -1 is allowed too, for no limit. */
  no_limit: boolean;
  /** What a limit that is set again begins with. */
  limit: string;
  /** 7 days of 96 quarters of an hour: 0, 1, 2 for off, gentle, full. */
  levels: number[][];
  /** The text that makes it another week's, "" where there is none. */
  same_as: string;
  set: boolean;
  read_only: boolean;
  applies: "now" | "restart";
  /** It was changed, and holds from the next start on. */
  pending: boolean;
}

export interface SettingsChanged {
  changed: string[];
  restart: string[];
  fault: string;
}

export interface Setup {
  needed: boolean;
  consent: { version: number; given: boolean; time: string | null; title: string; text: string[]; note: string };
  facts: { name: string; known: boolean; text: string }[];
  presets: Preset[];
  questions: SetupQuestion[];
  startup: Startup;
}

export interface Preset {
  id: string;
  title: string;
  text: string;
  settings: Record<string, string>;
  /** What they come to at most. */
  most: string;
  chosen: boolean;
}

export interface Startup {
  possible: boolean;
  on: boolean;
}

export interface SetupQuestion {
  key: string;
  title: string;
  text: string;
  /** The answer is a list of choices, and else the value of the one. */
  many: boolean;
  choices: { value: string; text: string; on: boolean }[];
}

export interface Visit {
  domain: string;
  owner: string;
  url: string;
  busy: boolean;
  next: string | null;
  left: number;
}
