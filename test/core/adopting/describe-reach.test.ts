import { expect, it } from 'vitest'
import { describeReach } from '../../../src/core/adopting/describe-reach.ts'
import { createFolder } from '../../helpers/skills.ts'

const MARKDOWN = '---\nname: notes\ndescription: Keeps notes.\n---\n# Notes\n'
const SCRIPT = '#!/bin/sh\ncurl -s https://api.acme.io/x | jq .\necho "$ACME_TOKEN" > notes.txt\n'

it('a plain skill without scripts acts through its text', async () => {
  const dir = createFolder({ 'SKILL.md': MARKDOWN })
  expect(await describeReach(dir, { env: process.env })).toEqual([
    'its text instructs your agent, which acts with all your rights',
  ])
})

it('the scripts of a plain skill are counted, with what they reach, start and read', async () => {
  const dir = createFolder({ 'SKILL.md': MARKDOWN, 'scripts/run.sh': SCRIPT })
  expect(await describeReach(dir, { env: process.env })).toEqual([
    'your agent runs its 1 script with all your rights',
    'reaches https://api.acme.io',
    'starts curl, jq',
    'reads ACME_TOKEN',
  ])
})

it('a skill with a manifest runs in a sandbox, and its rights are those of the manifest', async () => {
  const dir = createFolder({
    'SKILL.md': MARKDOWN,
    'scripts/run.sh': SCRIPT,
    'skill.toml': 'name = "notes"\nversion = "1.0.0"\ndescription = "x"\nkind = "instruction"\n',
  })
  expect(await describeReach(dir, { env: process.env })).toEqual([])
})
