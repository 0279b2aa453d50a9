import { describe, expect, it } from 'vitest'
import { createNetworkExample, extendExampleBody } from '../../../../src/core/lint/example-skill.ts'
import { lintFindings } from '../../../helpers/rule-cases.ts'

const LOOKALIKES = ['127.evil.example', 'localhost.evil.example']
const OWN = ['localhost', '127.0.0.1', '127.1.2.3']

describe('http without encryption', () => {
  it.each(LOOKALIKES)('to %s is reported, for a link and for a network entry', async (host) => {
    const link = { 'SKILL.md': extendExampleBody(`See [it](http://${host}/page).\n`) }
    expect(await lintFindings(link, ['docs'])).toMatchObject([
      { text: expect.stringContaining(`docs/insecure-link: The link "http://${host}/page"`) },
    ])
    const { bad } = createNetworkExample(`http://${host}`)
    expect(await lintFindings(bad, ['permissions/plain-http'])).toHaveLength(1)
  })

  it.each(OWN)('to %s is not reported, the control', async (host) => {
    const link = { 'SKILL.md': extendExampleBody(`See [it](http://${host}/page).\n`) }
    expect(await lintFindings(link, ['docs'])).toEqual([])
    const { bad } = createNetworkExample(`http://${host}`)
    expect(await lintFindings(bad, ['permissions/plain-http'])).toEqual([])
  })
})
