import { COMPLETE, type ProjectFile } from './project-file.ts'
import { CONFIG_SCHEMA_FILE } from './schema-files.ts'

const TEXT = `#:schema ./${CONFIG_SCHEMA_FILE}
# Settings of this project, which also apply in its subfolders.
# Type "skills config" for the effective values and their origins.

# Folders with more skills, next to skills/:
# roots = ["../shared-skills"]

# Limits of every run:
# [run]
# timeout = "30s"
# [run.limits]
# memory = "512MiB"
`

/** The configuration; an existing one is complete, whatever it sets. */
export const CONFIG_FILE: ProjectFile = {
  path: 'skills.config.toml',
  purpose: 'configuration',
  create: () => TEXT,
  merge: () => COMPLETE,
}
