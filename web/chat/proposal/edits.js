// The changes that the panel makes, as the server takes them.
export const addPerson = (person) => ({ kind: "add_person", person });
export const correctPerson = (id, person) => ({ kind: "correct_person", person: id, values: person });
export const removePerson = (id) => ({ kind: "remove_person", person: id });
export const chooseVariant = (id) => ({ kind: "choose", variant: id });
export const leaveOut = (what, person) => ({ kind: "without", what, person });
export const wantSum = (need, person, amount) => ({ kind: "sum", need, person, amount });

// What a form of budget and wishes changed: one edit for each thing that is other than before.
export function setWishes(before, after) {
  const edits = [];
  if (JSON.stringify(after.budget) !== JSON.stringify(before.budget)) edits.push({ kind: "budget", budget: after.budget });
  if (after.renewal !== before.wishes.renewal) edits.push({ kind: "renewal", renewal: after.renewal });
  const stood = before.wishes.without.filter((item) => !item.person).map((item) => item.what);
  edits.push(...after.without.filter((what) => !stood.includes(what)).map((what) => leaveOut(what, null)));
  edits.push(...stood.filter((what) => !after.without.includes(what)).map((what) => ({ kind: "take_back", what, person: null })));
  return edits;
}
