import { describe, expect, it } from 'vitest'
import {
  createExampleMarkdown,
  createExampleToml,
} from '../../../../src/core/lint/example-skill.ts'
import { lintFixedFile, lintFindings } from '../../../helpers/rule-cases.ts'

const named = (name: string) => ({
  'skill.toml': createExampleToml({ name: JSON.stringify(name) }),
})

describe('rules of naming', () => {
  it.each<[string, string, string]>([
    [
      'demo.Greet.you',
      'naming/invalid-name: The name has the segment "Greet", expected only a-z, 0-9, _ and -',
      'Greet',
    ],
    [
      'demo.gr\u0435et',
      'naming/invalid-name: The name has the segment "gr\u0435et" with "\u0435" (U+0435), expected only a-z, 0-9, _ and -',
      'gr\u0435et',
    ],
    [
      'demo..greet',
      'naming/invalid-name: The name "demo..greet" has an empty segment',
      '"demo..greet"',
    ],
    [
      'skills.protocol.guide',
      'naming/reserved-name: The namespace "skills" of "skills.protocol.guide" is reserved for the runtime',
      '"skills.protocol.guide"',
    ],
    [
      'demo.class.greet',
      'naming/not-importable: "from skills.demo.class.greet import …" is not valid Python because of "class"',
      '"demo.class.greet"',
    ],
    [
      'user.save_sheet',
      'naming/discouraged-character: The name "user.save_sheet" has "_", which is easily confused with "-"',
      '"user.save_sheet"',
    ],
  ])('report %s with the exact segment', async (name, text, at) => {
    const found = await lintFindings(named(name), ['naming'])
    expect(found.map((each) => ({ text: each.text, at: each.at }))).toEqual([{ text, at }])
  })

  it.each([
    ['Demo.Greet You', 'demo.greet_you'],
    ['demo.gr\u0435et', 'demo.greet'],
    ['demo/caf\u00E9', 'demo.cafe'],
  ])('repair %s as %s', async (name, repaired) => {
    const after = await lintFixedFile(named(name), { file: 'skill.toml', unsafe: true })
    expect(after).toContain(`name = "${repaired}"\n`)
  })

  it('do not repair a name by dropping a letter', async () => {
    const name = 'demo.\u6328\u62F6x'
    expect(await lintFixedFile(named(name), { file: 'skill.toml', unsafe: true })).toContain(name)
  })

  it('report nothing for words of one foreign script', async () => {
    const markdown = createExampleMarkdown(
      'name: \u043F\u0440\u0438\u0432\u0435\u0442 greet\ndescription: Greets somebody by name.\n',
    )
    expect(await lintFindings({ 'SKILL.md': markdown }, ['naming'])).toEqual([])
  })

  it('accept the names in the specification', async () => {
    for (const name of ['salesforce.leads.sync', 'user.julaiti.save_sheet_as_csv']) {
      const found = await lintFindings(named(name), ['naming'])
      expect(found.filter((each) => !each.text.startsWith('naming/discouraged'))).toEqual([])
    }
  })
})
