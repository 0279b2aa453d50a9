/** An archive that is refused, and a control: the same archive without the fault, which is read. */
export interface Attack {
  name: string
  hostile: Buffer
  control: Buffer
  /** A part of the sentence. */
  says: string
}
