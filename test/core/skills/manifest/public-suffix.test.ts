import { describe, expect, it } from 'vitest'
import { isPublicSuffix } from '../../../../src/core/skills/manifest/public-suffix.ts'

describe('a domain with many owners', () => {
  it.each([
    'com',
    'com.',
    'dev',
    'local',
    'xn--p1ai',
    'co.uk',
    'ac.uk',
    'com.au',
    'co.jp',
    'gov.br',
    'or.kr',
    'anything.bd',
    'github.io',
    'web.core.windows.net',
    's3.amazonaws.com',
    's3.eu-west-1.amazonaws.com',
    's3-us-west-2.amazonaws.com',
    's3-website.eu-central-1.amazonaws.com',
    'hf.space',
  ])('is %s', (host) => {
    expect(isPublicSuffix(host)).toBe(true)
  })

  it.each([
    'example.com',
    'example.co.uk',
    'co.com',
    'web.de.example.com',
    'bbc.uk',
    'me.github.io',
    'bucket.s3.amazonaws.com',
    'account.blob.core.windows.net',
    'openai.azure.com',
  ])('is not %s', (host) => {
    expect(isPublicSuffix(host)).toBe(false)
  })
})
