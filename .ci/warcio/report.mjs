// Counts what was seen and what is wrong, and ends the process accordingly.
export class Report {
  counts = {};
  faults = 0;

  seen(kind) { this.counts[kind] = (this.counts[kind] ?? 0) + 1; }

  fault(...what) {
    this.faults++;
    if (this.faults <= 20) console.error(...what);
  }

  // end exits with 1 if anything is wrong or one of the kinds was not seen.
  end(...kinds) {
    for (const kind of kinds) if (!this.counts[kind]) this.fault("there is no record of the kind", kind);
    console.log(this.counts, this.faults, "faults");
    process.exit(this.faults ? 1 : 0);
  }
}
