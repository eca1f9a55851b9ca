"""Who can do something to somebody in English: persons, animals and groups of persons, by name or by common noun.

spaCy's small model tells names of persons from those of places, but no "farmer" from a "window". The nouns are common
ones that mean a person, an animal or a in WordNet, in the first of their senses or the second, as a test holds.
"""

from __future__ import annotations

from gpustab.sentences.grammar import words_of
from gpustab.sentences.parsed import Word

PERSONS_AND_ANIMALS = frozenset(
    words_of(
        "accountant activist actor actress admiral adviser advisor ambassador analyst animal antelope "
        "anthropologist ape apprentice archbishop archer architect artist assassin assistant astronaut astronomer "
        "athlete attacker attorney aunt author baby babysitter bachelor baker ballerina banker barber "
        "baron bartender batsman bear beast bee beetle beggar bicyclist biologist bird bishop blacksmith "
        "bodyguard boss bowler boxer boy boyfriend brewer bride bridegroom brigadier broadcaster brother builder "
        "bull burglar businessman businesswoman butcher butler butterfly buyer bystander calf camel campaigner "
        "candidate captain captive cardinal carpenter cashier cat chairman challenger champion chancellor "
        "cheerleader chemist chicken child choreographer citizen clergyman clerk client climber clown coach "
        "colleague collector colonel columnist comedian commander commentator commissioner companion competitor "
        "composer comrade congressman conqueror conservationist consultant contestant contractor convict cook cop "
        "corporal councillor counsellor countess cousin cow coward cowboy coyote craftsman creditor criminal "
        "critic crocodile crow customer cyclist dad dancer daughter dealer deer defendant defender demonstrator "
        "dentist deputy designer detective developer dictator dinosaur diplomat director doctor dog dolphin "
        "donkey donor dove dragon driver duchess duck duke dwarf eagle economist editor elephant elf elk emperor "
        "employee employer empress enemy engineer entrepreneur ewe executive expert explorer falcon fan farmer "
        "father fellow ferryman fiddler firefighter fireman fisherman foreigner fox friend frog "
        "gangster gardener general gentleman gentlewoman ghost giant giraffe girl girlfriend goalkeeper goat "
        "goddess godfather godmother goose gorilla governor grandchild granddaughter grandfather grandma "
        "grandmother grandpa grandson guerrilla guest guitarist gunman gunner guy hairdresser hamster hare hawk "
        "headmaster heir hen hero heroine hippopotamus historian horse hostage housewife human hunter husband "
        "illustrator immigrant infant inhabitant insect inspector instructor intruder inventor "
        "investigator investor jackal jailer jockey journalist judge juror kangaroo keeper kid kidnapper killer "
        "king kinsman kitten knight lad lady lamb landlady landlord landowner lawmaker lawyer lecturer lender "
        "leopard librarian lieutenant lifeguard linguist lion lioness lizard lobbyist lobster lodger lord lover "
        "lumberjack madman magician maid maiden maker man manager manufacturer mare marksman mason mathematician "
        "mayor mechanic merchant messenger midwife miller millionaire miner minister missionary mistress monarch "
        "monk monkey mosquito mother mouse mule mum murderer musician musketeer nanny neighbor neighbour nephew "
        "niece nobleman novelist nun nurse octopus officer official ogre ombudsman onlooker operator opponent "
        "orphan ostrich owl owner ox painter panther parent parrot participant partner passenger pastor patient "
        "peasant peer performer person philosopher photographer physician physicist pianist pig pigeon pilgrim "
        "pilot pirate pitcher player playwright plumber poet policeman policewoman politician pony pope postman "
        "preacher premier presenter president priest prince princess principal prisoner producer professor "
        "programmer prophet prosecutor prostitute protester provider psychiatrist psychologist pupil puppy "
        "quarterback queen rabbi rabbit raccoon rat raven reader rebel receptionist recruit referee refugee "
        "regulator relative reporter representative researcher resident retailer rhinoceros rider rival robber "
        "rooster ruler runner sailor salesman salmon scholar scientist sculptor seaman secretary seller senator "
        "sergeant servant settler shark sheep shepherd sheriff shopkeeper sibling singer sister skateboarder "
        "skater skier skipper slave smuggler snake snowboarder sociologist soldier solicitor son sparrow "
        "spectator spider spokesman spokeswoman sportsman squire squirrel stallion stepdaughter stepmother "
        "stepson storekeeper stranger striker student successor suitor sultan supplier supporter surfer surgeon "
        "suspect swan swimmer tailor taxpayer teacher teammate technician teenager tenant terrorist thief tiger "
        "toad toddler tortoise tourist trader trainer traitor translator traveler traveller treasurer trespasser "
        "troll trooper trumpeter turtle tutor twin tyrant umpire uncle user vampire vendor vet veteran victim "
        "viewer villager villain violinist visitor volunteer voter waiter waitress warrior wasp watchdog whale "
        "widow widower wife winner witch witness wizard wolf woman woodcutter worker worm worshipper wrestler "
        "writer youngster youth zebra zoologist"
    )
)
"""Common nouns of persons and animals."""
GROUPS = frozenset(
    words_of(
        "administration agency army bank battalion cabinet charity church club coalition college "
        "commission committee community company congregation corporation council couple court crowd delegation "
        "department family firm fleet gang government jury ministry mob navy organisation organization "
        "panel parliament party patrol people police publisher regiment school senate society squad team tribe "
        "troop troupe union university"
    )
)
"""Those of persons who act as one."""
BEINGS = PERSONS_AND_ANIMALS | GROUPS
_NAMES = ("PER", "PERSON", "NORP", "GPE", "ORG")
"""What spaCy calls names of persons, peoples, states and bodies."""


def is_being(noun: Word) -> bool:
    """Return whether a noun names a person, an animal, a group, a people, a state or a body."""
    if noun.entity and noun.kind == "PROPN":
        return noun.entity in _NAMES
    return noun.kind in ("NOUN", "PROPN") and noun.lemma.lower() in BEINGS
