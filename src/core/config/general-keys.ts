import { defineSettings } from './define-settings.ts'

const GIB = 1024 ** 3
const DAY = 86_400_000

/** Folders that are searched and written. */
export const FOLDER_KEYS = defineSettings([
  {
    key: 'roots',
    setBy: 'project',
    type: 'roots',
    description:
      'Folders, and sources of skills such as github:owner/repo, that are searched for skills, highest precedence first',
    default: [],
  },
  {
    key: 'indexes',
    setBy: 'trusted project',
    type: 'sources',
    description: 'Sites, and folders or files of sites, that "skills search" asks',
    default: [],
  },
  {
    key: 'directories.data',
    setBy: 'trusted project',
    type: 'path',
    description: "Folder for blobs, run records and the user's skills",
    default: undefined,
  },
  {
    key: 'directories.cache',
    setBy: 'trusted project',
    type: 'path',
    description: 'Folder for content that may be deleted at any time',
    default: undefined,
  },
])

/** Content that runs see and hide, stores, and models of evals. */
export const GENERAL_KEYS = defineSettings([
  {
    key: 'toolchains',
    setBy: 'user',
    type: 'toolchains',
    description:
      "Folders with programs that runs with a repository see read-only, only in the user's configuration",
    default: [],
  },
  {
    key: 'caches',
    setBy: 'user',
    type: 'caches',
    description:
      "Folders that runs with a repository see read-only, only in the user's configuration",
    default: [],
  },
  {
    key: 'redaction.patterns',
    setBy: 'trusted project',
    type: 'texts',
    description:
      'Regular expressions of text to mask in all output of runs, besides well-known shapes of tokens, keys and passwords, without back-references and lookaround',
    default: [],
  },
  {
    key: 'secrets.file',
    setBy: 'trusted project',
    type: 'path',
    description: 'File of NAME=value lines with secrets',
    default: undefined,
  },
  {
    key: 'secrets.command',
    setBy: 'trusted project',
    type: 'texts',
    description:
      'Program, with its arguments, that prints the value of a secret which the file does not have, such as ["pass", "show", "skills/{name}"]; it runs on this machine, once for each run',
    default: [],
  },
  {
    key: 'store.quota',
    setBy: 'trusted project',
    type: 'bytes',
    description:
      'Size of all blobs, and of all workspaces; outputs of programs have a quarter of it, run records and uploaded skills a sixteenth each',
    default: 16 * GIB,
  },
  {
    key: 'store.ttl',
    setBy: 'trusted project',
    type: 'duration',
    description:
      'Retention time of a blob, of the output of a program, and of a workspace and its artifacts after their last use',
    default: 7 * DAY,
  },
  {
    key: 'store.runs.ttl',
    setBy: 'trusted project',
    type: 'duration',
    description: 'Retention time of a run record',
    default: 30 * DAY,
  },
  {
    key: 'evals.model',
    setBy: 'trusted project',
    type: 'text',
    description: 'Model of evals: <provider>/<model> of the AI SDK, or script:<file>',
    default: undefined,
  },
])
