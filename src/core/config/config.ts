import type { BACKEND_CHOICES } from './keys.ts'

/** Where a value came from, weakest first. */
const CONFIG_LAYERS = ['default', 'project', 'user', 'environment', 'flag'] as const
export type ConfigLayer = (typeof CONFIG_LAYERS)[number]

export const REPOSITORY_MODES = ['read-only', 'read-write', 'overlay'] as const

/** A folder as the configuration names it. */
export interface RepositorySetting {
  path: string
  mode: (typeof REPOSITORY_MODES)[number]
  /** `file:line`. */
  place: string
}

/** The effective configuration: plain data, every value present. */
export interface Config {
  /** Every root but the built-in one: absolute folders that exist, strongest first. */
  roots: readonly string[]
  directories: {
    /** Blobs, run records, user skills. */
    data: string
    /** What may be deleted at any time. */
    cache: string
  }
  lint: {
    /** Rule or area to severity or "off". */
    rules: Readonly<Record<string, 'error' | 'warning' | 'info' | 'off'>>
    /** The same for paths that match a glob. */
    overrides: readonly {
      files: readonly string[]
      rules: Readonly<Record<string, 'error' | 'warning' | 'info' | 'off'>>
    }[]
    ignore: readonly string[]
    /** Which hosts' limits apply. */
    profiles: readonly ('agent-skills' | 'mcp' | 'openai' | 'claude-api')[]
  }
  run: {
    backend: (typeof BACKEND_CHOICES)[number]
    /** Where the backend is container. */
    container: { engine: 'auto' | 'docker' | 'podman'; image: string | undefined }
    requireIsolation: 'any' | 'strict'
    /** Nothing that the Skills Protocol does not know: run_code takes Python only. */
    strictProtocol: boolean
    /** A server forks runs from a process that it keeps at hand. */
    warm: boolean
    /** The interpreter for Python skills; found on PATH unless given. */
    python: string | undefined
    timeoutMs: number
    maxTimeoutMs: number
    /** To compile code, beside the time to run it. */
    compileTimeoutMs: number
    limits: {
      cpuMs: number
      memoryBytes: number
      /** Of all runs together; a share of what the machine has unless given. */
      totalMemoryBytes: number | undefined
      processes: number
      openFiles: number
      workspaceBytes: number
      inodes: number
      outputBytes: number
      blobBytes: number
    }
    /** Environment variables handed through to every run, by name. */
    environment: readonly string[]
    network: {
      /** Private addresses that runs may reach, where their skill lists a host that leads there. */
      allowPrivate: readonly string[]
    }
    /** Runs at the same time in one process; as many as there are cores, but at least 8, unless given. */
    maxConcurrent: number | undefined
    maxWaiting: number
    /** Whether run_code gets the network and secrets of the skills that it mounts. */
    codeInheritsPermissions: boolean
  }
  /** Folders that programs may be run in, by name; looked at when one is used. */
  repositories: Readonly<Record<string, RepositorySetting>>
  runtime: { enabled: boolean }
  /** Answers may come from a quicker second implementation: the folders named fast-path, warm runs. */
  fastPaths: boolean
  policy: {
    /** The operator's, where one is named. */
    file: string | undefined
    /** Where it is looked for if none is named. */
    standardFile: string | undefined
    /** The project's, which can only take away. */
    projectFile: string | undefined
  }
  audit: {
    contents: boolean
    maxFileBytes: number
    /** How long records stay, and how many bytes of them; for ever and all of them unless given. */
    ttlMs: number | undefined
    quotaBytes: number | undefined
  }
  /** Where secret values come from: a file of NAME=value lines. */
  secrets: { file: string | undefined }
  store: {
    blobs: { maxBlobBytes: number; quotaBytes: number; ttlMs: number }
    created: { maxSkills: number; quotaBytes: number }
    runs: { quotaBytes: number; ttlMs: number }
    outputs: { maxOutputBytes: number; quotaBytes: number; ttlMs: number }
  }
  workspace: {
    skills: 'read-only' | 'copies'
    requireLoad: boolean
    /** host:// inputs come from below these only. */
    hostRoots: readonly string[]
    allowedCommands: readonly string[]
    deniedCommands: readonly string[]
    timeoutMs: number
    saveOutputs: boolean
    ttlMs: number
    quotaBytes: number
    maxWorkspaces: number
    maxSessions: number
    sessionIdleMs: number
    /** What is done once, right after a workspace was made. */
    init: readonly WorkspaceCommandSetting[]
    /** What lies in a workspace, and what has been run there, before any other command. */
    files: readonly WorkspaceFileSetting[]
    commands: readonly WorkspaceCommandSetting[]
  }
  serve: {
    allowedHosts: readonly string[]
    allowedOrigins: readonly string[]
    maxBodyBytes: number
    bodyTimeoutMs: number
    /** Two a core, but at least 4, unless given. */
    maxRuns: number | undefined
    maxWaiting: number
    callsPerSecond: number
    graceMs: number
  }
}

/** A file that every workspace has. */
export interface WorkspaceFileSetting {
  /** Names it in what a workspace remembers. */
  key: string
  target: string
  /** Its text, or where it comes from. */
  content: string | undefined
  from: string | undefined
  mode: number | undefined
  link: boolean
  pin: boolean
  /** Where it fails, that is a warning. */
  optional: boolean
}

/** A command that is run in every workspace before others are. */
export interface WorkspaceCommandSetting {
  key: string
  cmd: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string | undefined
  timeoutMs: number | undefined
  /** Made when it succeeded: without it, it is run again. */
  marker: string | undefined
  /** What it makes: where one of these is missing, it is run again. */
  observed: readonly string[]
  /** What it reads: where one of these changed, it is run again. */
  inputs: readonly string[]
  salt: string | undefined
  optional: boolean
}
