import type { BACKEND_CHOICES } from './run-keys.ts'
import type { PROFILE_CHOICES } from './lint-keys.ts'

/** Sources of values, weakest first. */
const CONFIG_LAYERS = ['default', 'user', 'project', 'environment', 'flag'] as const
export type ConfigLayer = (typeof CONFIG_LAYERS)[number]

/** Source of a value. */
export interface Origin {
  layer: ConfigLayer
  /** File and line, variable, or flag. */
  place: string
}

export const REPOSITORY_MODES = ['read-only', 'read-write', 'overlay'] as const

/** A configured folder. */
export interface RepositorySetting {
  path: string
  mode: (typeof REPOSITORY_MODES)[number]
  /** `file:line`. */
  place: string
}

/** A folder of the user that runs with a repository see read-only. */
export interface CacheSetting {
  /** Absolute, or below the user's home folder: `~/`. */
  path: string
  /** Variables of these runs. */
  environment: Readonly<Record<string, string>>
  /** `file:line`. */
  place: string
}

/** A folder with programs. */
export interface ToolchainSetting extends CacheSetting {
  /** Folders for PATH, relative to it; `bin` or the folder itself if empty. */
  bin: readonly string[]
}

/** A root whose files were fetched from elsewhere. */
export interface RemoteRoot {
  /** Folder in the cache, one of the roots. */
  path: string
  /** As in the configuration. */
  source: string
  /** The same with a commit, a digest or an exact version. */
  resolved: string
}

/** Effective configuration: plain data with every value present. */
export interface Config {
  /** Every root except the built-in one: existing absolute folders, highest precedence first. */
  roots: readonly string[]
  /** Roots that were fetched, in the order of the configuration. */
  remoteRoots: readonly RemoteRoot[]
  /** Sites that are searched: addresses, and absolute paths. */
  indexes: readonly string[]
  directories: {
    /** Blobs, run records, user skills. */
    data: string
    /** Content that may be deleted at any time. */
    cache: string
  }
  install: {
    /** True if a layer demands a signature of a trusted key. */
    requireSignature: boolean
    /** Patterns of sources by layer; a source has to match one of each. */
    sources: readonly (readonly string[])[]
    /** How skills are vetted before they are installed. */
    vet: 'off' | 'read' | 'run'
    /** Agents for which skills are linked unless the command names others: ids, `all` or `detected`. */
    agents: readonly string[]
  }
  trust: {
    /** Absolute path of trusted roots of sigstore, if configured. */
    sigstoreRoot: string | undefined
  }
  lint: {
    /** Rule or area to severity or "off". */
    rules: Readonly<Record<string, 'error' | 'warning' | 'info' | 'off'>>
    /** Overrides for paths that match a glob. */
    overrides: readonly {
      files: readonly string[]
      rules: Readonly<Record<string, 'error' | 'warning' | 'info' | 'off'>>
    }[]
    /** File of accepted findings, if configured. */
    baseline: string | undefined
    ignore: readonly string[]
    /** Hosts whose limits apply. */
    profiles: readonly (typeof PROFILE_CHOICES)[number][]
  }
  run: {
    backend: (typeof BACKEND_CHOICES)[number]
    /** Settings of the container backend. */
    container: {
      engine: 'auto' | 'docker' | 'podman'
      /** `runsc`: gVisor. */
      runtime: 'default' | 'runsc'
      image: string | undefined
    }
    requireIsolation: 'any' | 'strict'
    /** `systemd`: commands that run skills start in a scope of systemd's user manager. */
    scope: 'none' | 'systemd'
    /**
     * A server forks runs from a process that it keeps running. `aslr`: each fork starts its
     * interpreter again, for an address-space layout of its own.
     */
    warm: boolean | 'aslr'
    /** Interpreter for Python skills; default: the one on PATH. */
    python: string | undefined
    /** True if runs see the packages that are installed on this machine. */
    hostPackages: boolean
    /** True if runs with a repository see the user's toolchains and package caches. */
    toolchains: boolean
    timeoutMs: number
    maxTimeoutMs: number
    limits: {
      cpuMs: number
      memoryBytes: number
      /** All runs together; default: a share of the machine's memory. */
      totalMemoryBytes: number | undefined
      processes: number
      workspaceBytes: number
      outputBytes: number
      networkBytes: number
    }
    /** Names of environment variables passed to every run. */
    environment: readonly string[]
    network: {
      /** Private addresses that runs may reach if their skill lists a host that resolves to one. */
      allowPrivate: readonly string[]
    }
    /** Concurrent runs, and those that wait, in one process; the defaults depend on its kind. */
    maxConcurrent: number | undefined
    maxWaiting: number | undefined
    /** Concurrent detached runs of one caller. */
    maxDetached: number
    /** True if run_code gets the network and secrets of the skills that it mounts. */
    codeInheritsPermissions: boolean
  }
  /** Folders in which programs may run, by name; checked on use. */
  repositories: Readonly<Record<string, RepositorySetting>>
  runtime: { enabled: boolean }
  /** Folders of the user that runs with a repository see besides those in PATH. */
  toolchains: readonly ToolchainSetting[]
  caches: readonly CacheSetting[]
  policy: {
    /** Operator's policy file, if configured. */
    file: string | undefined
    /** Default location of the operator's policy. */
    standardFile: string | undefined
    /** Project's policy file, which can only restrict. */
    projectFile: string | undefined
  }
  audit: {
    contents: boolean
    /** Retention time and total bytes of records; unlimited by default. */
    ttlMs: number | undefined
    quotaBytes: number | undefined
  }
  /** Source of secret values: a file of NAME=value lines. */
  secrets: { file: string | undefined }
  /** Patterns of text that is masked in all output, besides well-known shapes of secrets. */
  redaction: { patterns: readonly string[] }
  /** The bounds of each store follow from these: `resolveStoreLimits`. */
  store: {
    quotaBytes: number
    ttlMs: number
    /** Of run records. */
    runsTtlMs: number
  }
  evals: {
    model: string | undefined
  }
  workspace: {
    skills: 'read-only' | 'copies'
    requireLoad: boolean
    /** The only folders that host:// inputs may come from. */
    hostRoots: readonly string[]
    allowedCommands: readonly string[]
    deniedCommands: readonly string[]
    saveOutputs: boolean
    /** `session`: the commands of a session share a living sandbox. */
    sandbox: 'session' | 'command'
    /** Commands that run once in a new workspace. */
    init: readonly WorkspaceCommandSetting[]
    /** Files and commands that prepare a workspace before any other command. */
    files: readonly WorkspaceFileSetting[]
    commands: readonly WorkspaceCommandSetting[]
  }
  serve: {
    allowedHosts: readonly string[]
    allowedOrigins: readonly string[]
    /** True if uploaded skills are vetted, and dangerous ones refused. */
    vetsUploads: boolean
    maxBodyBytes: number
    /** Default: half of the runs if there are several tokens or addresses, otherwise all. */
    runsPerCaller: number | undefined
    callsPerSecond: number
    /** Amounts that one caller may use in an hour; undefined without a limit. */
    quotas: {
      cpuMs: number | undefined
      blobBytes: number | undefined
      skills: number | undefined
    }
  }
  /** A node of a fleet, and the engine that connects it with the others. */
  fleet: {
    /** Addresses, separated by commas; undefined on a machine that belongs to no fleet. */
    servers: string | undefined
    /** File with the seed of the key of this node. */
    seed: string | undefined
    /** File with the certificates that sign the engine's. */
    ca: string | undefined
    name: string
    tenant: string
    drainSessionsMs: number
    /** File with the key of queued runs. */
    key: string | undefined
  }
  worker: {
    /** Workers of other pools get no calls of a front. */
    pool: string
  }
}

/** A file that every workspace contains. */
export interface WorkspaceFileSetting {
  /** Its id in the workspace's state. */
  key: string
  target: string
  /** Its text, or the path of its source. */
  content: string | undefined
  from: string | undefined
  mode: number | undefined
  link: boolean
  pin: boolean
  /** A failure is only a warning. */
  optional: boolean
}

/** A command that runs in every workspace before any other. */
export interface WorkspaceCommandSetting {
  key: string
  cmd: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string | undefined
  timeoutMs: number | undefined
  /** File created on success; the command runs again if it is missing. */
  marker: string | undefined
  /** Files that it creates; the command runs again if one is missing. */
  observed: readonly string[]
  /** Files that it reads; the command runs again if one changed. */
  inputs: readonly string[]
  salt: string | undefined
  optional: boolean
}
