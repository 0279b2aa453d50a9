/// <reference types="node" preserve="true" />
import { createBlobMethod } from './create-blob/definition.ts'
import { createSkillMethod } from './create-skill/definition.ts'
import { describeSkillMethod } from './describe-skill/definition.ts'
import { executeSkillMethod } from './execute-skill/definition.ts'
import { listSkillsMethod } from './list-skills/definition.ts'
import { loadSkillsProtocolGuideMethod } from './load-skills-protocol-guide/definition.ts'
import { readBlobMethod } from './read-blob/definition.ts'
import { readSkillFileMethod } from './read-skill-file/definition.ts'
import { runtimeExecuteMethod } from './runtime-execute/definition.ts'
import { runtimeLanguagesMethod } from './runtime-languages/definition.ts'
import { runCodeMethod } from './run-code/definition.ts'
import { skillListDocsMethod } from './skill-list-docs/definition.ts'
import { skillLoadMethod } from './skill-load/definition.ts'
import { skillSelectDocsMethod } from './skill-select-docs/definition.ts'

/** The operations with their schemas: what a model or a foreign caller is offered. */
export const METHODS = [
  listSkillsMethod,
  describeSkillMethod,
  readSkillFileMethod,
  executeSkillMethod,
  runCodeMethod,
  runtimeExecuteMethod,
  runtimeLanguagesMethod,
  createBlobMethod,
  readBlobMethod,
  loadSkillsProtocolGuideMethod,
  createSkillMethod,
  skillLoadMethod,
  skillSelectDocsMethod,
  skillListDocsMethod,
] as const
