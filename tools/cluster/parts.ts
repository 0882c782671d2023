import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The programs of other projects that a cluster consists of. */
export type Parts = {
  patroni: string;
  patronictl: string;
  /** the folder of PostgreSQL's client programs, with `pg_basebackup` and `pg_rewind` */
  postgresClients: string;
  etcd: string;
  haproxy: string;
  pgbouncer: string;
  nft: string;
  /** the version of PgBouncer, as in 1.18.0 */
  poolerVersion: string;
  /** whether PgBouncer keeps named statements: from version 1.21 on */
  keepsStatements: boolean;
  /** variables for programs that were not installed but unpacked */
  env: Record<string, string>;
};

/** Debian's packages, with the program of each. */
const packages = { etcd: "etcd-server", haproxy: "haproxy", pgbouncer: "pgbouncer", nft: "nftables" };
/** Holds the client programs of PostgreSQL that Patroni needs. Its server lacks ICU, which Earnest needs. */
const postgresPackage = "embedded-postgres==18.6.3";
const requirements = fileURLToPath(new URL("../../ops/patroni/requirements.txt", import.meta.url));

/** PostgreSQL's user can read this folder, unlike one in root's home. */
const cache = "/var/cache/earnest/cluster";
const python = join(cache, "python");
const unpacked = join(cache, "debian");
const folders = ["usr/bin", "usr/sbin"].map((folder) => join(unpacked, folder));

/** Finds the programs, installed or in the cache. Returns a sentence for each part that is missing. */
export function findParts(): { parts: Parts } | { missing: string[] } {
  const missing: string[] = [];
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    missing.push("A cluster needs Linux and root: each node gets its own network namespace.");
  for (const tool of ["unshare", "nsenter", "setpriv", "ip", "mkfs.ext4"])
    if (!findProgram(tool))
      missing.push(`The program ${tool} is missing: install util-linux, iproute2 and e2fsprogs.`);
  const found = (name: keyof typeof packages) => {
    const file = findProgram(name);
    if (!file) missing.push(`The program ${name} is missing: install Debian's package ${packages[name]}.`);
    return file ?? "";
  };
  const library = existsSync(join(python, "lib")) ? readdirSync(join(python, "lib"))[0] : undefined;
  const postgresClients = join(python, "lib", library ?? "", "site-packages/embedded_postgres/pginstall/bin");
  if (!isFetched())
    missing.push(
      `Patroni and PostgreSQL's client programs are missing in ${python}: they need PyPI, and Python 3 with venv.`,
    );
  const env = { LD_LIBRARY_PATH: libraries().join(":") };
  const pgbouncer = found("pgbouncer");
  const version = pgbouncer ? spawnSync(pgbouncer, ["--version"], { encoding: "utf8", env }).stdout : "";
  const [, poolerVersion = "", major, minor] = /PgBouncer ((\d+)\.(\d+)[.\d]*)/.exec(version) ?? [];
  const parts: Parts = {
    patroni: join(python, "bin/patroni"),
    patronictl: join(python, "bin/patronictl"),
    postgresClients,
    etcd: found("etcd"),
    haproxy: found("haproxy"),
    nft: found("nft"),
    pgbouncer,
    poolerVersion,
    keepsStatements: Number(major) > 1 || Number(minor) >= 21,
    env,
  };
  return missing.length > 0 ? { missing } : { parts };
}

/** Fetches the missing programs by pip and apt-get into the cache. Nothing is installed. */
export function fetchParts(say: (line: string) => void): void {
  const wanted = Object.entries(packages).filter(([name]) => !findProgram(name));
  if (wanted.length > 0) {
    say(`fetches ${wanted.map(([, name]) => name).join(", ")} by apt-get into ${unpacked}`);
    replaceFolder(unpacked, (draft) => {
      const names = wanted.map(([, name]) => name);
      const plan = run(
        "apt-get",
        ["install", "--simulate", "--yes", "--no-install-recommends", ...names],
        draft,
      );
      const needed = [...plan.matchAll(/^Inst (\S+) (?!\[)/gm)].map(([, name]) => name as string);
      run("apt-get", ["download", ...needed], draft);
      for (const file of readdirSync(draft).filter((name) => name.endsWith(".deb"))) {
        run("dpkg-deb", ["--extract", file, draft], draft);
        rmSync(join(draft, file));
      }
    });
  }
  if (isFetched()) return;
  say(`fetches Patroni and PostgreSQL's client programs by pip into ${python}`);
  rmSync(python, { recursive: true, force: true });
  // Python's virtual environments cannot be moved.
  run(existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3", ["-m", "venv", python], "/");
  run(join(python, "bin/pip"), ["install", "--quiet", "-r", requirements, postgresPackage], "/");
  writeFileSync(stamp, wantedOfPyPI());
}

/** The last file of a fetch from PyPI: what was asked for. */
const stamp = join(python, "requirements.txt");
const wantedOfPyPI = () => `${readFileSync(requirements, "utf8")}${postgresPackage}\n`;
const isFetched = () => existsSync(stamp) && readFileSync(stamp, "utf8") === wantedOfPyPI();

/** Makes a folder at once, so that an interrupted fetch leaves none. */
function replaceFolder(folder: string, fill: (draft: string) => void): void {
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, "draft-"));
  try {
    fill(draft);
    run("chmod", ["755", draft], "/");
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function findProgram(name: string): string | null {
  const path = ["/usr/local/sbin", "/usr/sbin", "/sbin", process.env.PATH, ...folders].join(":");
  const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8", env: { PATH: path } });
  return found.status === 0 ? found.stdout.trim() : null;
}

/** The folders of the unpacked libraries, of which there is one for each kind of processor. */
function libraries(): string[] {
  const folder = join(unpacked, "usr/lib");
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function run(file: string, args: string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, LC_ALL: "C" },
  });
  if (error) throw new Error(`${file} could not be run: ${error.message}`);
  if (status !== 0) throw new Error(`${file} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout;
}
