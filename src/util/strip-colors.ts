import { stripVTControlCharacters } from 'node:util'

/** The beginning of a sequence whose end was cut. */
// oxlint-disable-next-line no-control-regex -- the escape character is what is removed
const REST = /\u001b(?:[[\]()#;?]*[\d;?]*)?/g

/** Removes colours and other control sequences of terminals, for readers that are not terminals. */
export function stripColors(text: string): string {
  return text.includes('\u001b') ? stripVTControlCharacters(text).replaceAll(REST, '') : text
}
