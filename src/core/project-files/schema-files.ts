import { SCHEMAS } from '../schema/schemas.ts'
import { COMPLETE, type ProjectFile } from './project-file.ts'

/** Folder of files that are generated for a project. */
export const GENERATED_FOLDER = '.skills'
export const CONFIG_SCHEMA_FILE = `${GENERATED_FOLDER}/config.schema.json`
export const SKILL_SCHEMA_FILE = `${GENERATED_FOLDER}/skill.schema.json`
const EVALS_SCHEMA_FILE = `${GENERATED_FOLDER}/evals.schema.json`

/** JSON Schemas for editors. */
export const SCHEMA_FILES: readonly ProjectFile[] = [
  createSchemaFile(SKILL_SCHEMA_FILE, 'skill'),
  createSchemaFile(CONFIG_SCHEMA_FILE, 'config'),
  createSchemaFile(EVALS_SCHEMA_FILE, 'evals'),
]

function createSchemaFile(path: string, name: keyof typeof SCHEMAS): ProjectFile {
  const create = () => `${JSON.stringify(SCHEMAS[name](), null, 2)}\n`
  return {
    path,
    purpose: 'JSON Schema for editors',
    create,
    merge: (text) =>
      text === create()
        ? COMPLETE
        : {
            type: 'manual',
            advice: `it is of another version; to replace it, type "skills schema ${name} > ${path}"`,
          },
  }
}
